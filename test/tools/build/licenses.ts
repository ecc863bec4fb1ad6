/** The notices of packages that are bundled into dist/. Their licences ask that a copy goes along. */

/** What Vite tells of a bundled package (`build.license`). */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly identifier?: string;
  /** The package's own licence file. */
  readonly text?: string;
}

/** @throws Error naming the packages that come without a licence file */
export function toNotices(bundled: readonly Bundled[]): string {
  const byName = new Map(bundled.map((one) => [`${one.name} ${one.version}`, one]));
  const packages = [...byName].toSorted(([one], [other]) => one.localeCompare(other));
  const without = packages.filter(([, { text }]) => !text).map(([name]) => name);
  if (without.length > 0) throw new Error(`bundled without a licence: ${without.join(', ')}`);
  const notices = packages.map(
    ([name, { identifier, text = '' }]) =>
      `\n## ${name}${identifier === undefined ? '' : ` (${identifier})`}\n\n${text}\n`,
  );
  return `# Licences of what is bundled\n\nThe files of this folder hold these packages.\n${notices.join('')}`;
}

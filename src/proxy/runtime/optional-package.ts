/**
 * Packages that a merchant installs besides this one for a feature: which versions work, and the error that says what to
 * install. package.json has the same ranges for package managers.
 */

/** `least`: the oldest version that works. `install`: the argument for `npm install`. */
export const optionalPackages = {
  // The newest major version of undici needs a newer Node than this package does.
  undici: { least: '6.0.0', install: 'undici@7' },
  pg: { least: '8.11.0', install: 'pg' },
  'prom-client': { least: '14.0.0', install: 'prom-client' },
  libsql: { least: '0.4.0', install: 'libsql' },
} as const satisfies Readonly<Record<string, Readonly<Record<'least' | 'install', string>>>>;

export type OptionalPackageName = keyof typeof optionalPackages;

/**
 * Makes the error for a feature whose package is missing, too old, or fails to load.
 * @param feature as the merchant wrote it, such as `createNodeFetch`
 */
export function toUnusableError(feature: string, name: OptionalPackageName): Error {
  const { least, install } = optionalPackages[name];
  const version = readVersion(name);
  const found =
    version === null
      ? ''
      : isAtLeast(version, least)
        ? `: ${version} does not load in Node ${process.version}`
        : `, not ${version}`;
  const range = least.replace(/(\.0)+$/, '');
  return new Error(
    `${feature} needs the package ${name}, ${range} or newer${found}: npm install ${install}`,
  );
}

/** Checks the version. @throws Error if an older version is installed */
export function requireVersion(feature: string, name: OptionalPackageName): void {
  const version = readVersion(name);
  if (version !== null && !isAtLeast(version, optionalPackages[name].least)) {
    throw toUnusableError(feature, name);
  }
}

/** Reads the installed version. @returns null if it is unknown: there is no such package, or the program was bundled */
function readVersion(name: OptionalPackageName): string | null {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { version } = createRequire(import.meta.url)(`${name}/package.json`) as {
      version: string;
    };
    return version;
  } catch {
    return null;
  }
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}

/**
 * The address of the script tag's file, in that very file. `import.meta` would tell it, and is a module's alone: a classic
 * script that holds it does not begin. So its tag is looked for, or its fetch where it was imported.
 */

const name = '/pix-checkout.min.js';
const tag = document.querySelector<HTMLScriptElement>(`script[src*="${name}"]`);
const fetched = () => performance.getEntriesByType('resource').map((one) => one.name);

/** `null`: it was joined with others. */
export const scriptAddress: string | null =
  tag?.src ?? fetched().find((url) => url.includes(name)) ?? null;

/** Brings a file from where the proxy serves it: it did not come from beside this one, which was copied elsewhere. */
export function importServed<T>(endpoint: string | null, file: string): Promise<T> {
  const folder = `${endpoint}/assets/`;
  // oxlint-disable-next-line import/no-dynamic-require -- the proxy serves it, and no bundler knows where
  return import(/* @vite-ignore */ folder + file) as Promise<T>;
}

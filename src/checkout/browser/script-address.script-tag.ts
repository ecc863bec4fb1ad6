/**
 * The address from which the page loaded the script tag's file. `import.meta` would tell it, but a classic script that
 * contains `import.meta` does not even start. So this file looks for its own tag in the page or, if it was imported, for its
 * own fetch.
 */

const name = '/pix-checkout.min.js';
const tag = document.querySelector<HTMLScriptElement>(`script[src*="${name}"]`);
const fetched = () => performance.getEntriesByType('resource').map((one) => one.name);

/** `null` if the file was joined with other scripts. */
export const scriptAddress: string | null =
  tag?.src ?? fetched().find((url) => url.includes(name)) ?? null;

/** Imports a file from the proxy, for a script that was copied without its other files. */
export function importServed<T>(endpoint: string | null, file: string): Promise<T> {
  const folder = `${endpoint}/assets/`;
  // oxlint-disable-next-line import/no-dynamic-require -- the proxy serves it, and no bundler knows where
  return import(/* @vite-ignore */ folder + file) as Promise<T>;
}

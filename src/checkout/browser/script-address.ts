/**
 * The address of the script tag's file, for code that imports this package. It is unknown, because these modules are
 * somewhere in a shop's bundle. For the script tag the build replaces this file by script-address.script-tag.ts.
 */

export const scriptAddress: string | null = null;

/** Always rejects: only the page's bundler knows where its files are. */
export function importServed<T>(_endpoint: string | null, file: string): Promise<T> {
  return Promise.reject(new Error(`${file} did not come`));
}

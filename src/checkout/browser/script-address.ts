/**
 * The address of the script tag's file, for code that imports this package: unknown, because these modules are somewhere in a
 * shop's bundle. For the script tag the build puts script-address.script-tag.ts in the place of this file.
 */

export const scriptAddress: string | null = null;

/** Always rejects: only the page's bundler knows where its files are. */
export function importServed<T>(_endpoint: string | null, file: string): Promise<T> {
  return Promise.reject(new Error(`${file} did not come`));
}

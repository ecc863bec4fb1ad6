/**
 * The address of the script tag's file, as this package's modules find it: not at all, for they are somewhere in a page's own
 * bundle. The script tag's file is built with script-address.script-tag.ts in its place.
 */

export const scriptAddress: string | null = null;

/** Only the page's bundler knows where its files are. */
export function importServed<T>(_endpoint: string | null, file: string): Promise<T> {
  return Promise.reject(new Error(`${file} did not come`));
}

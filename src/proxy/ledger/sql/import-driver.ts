/** Loads the driver a store needs, when it is needed. Knows no driver. */

/**
 * @param name the package's
 * @param load imports it
 * @throws Error that says what to install
 */
export async function importDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new Error(`This url needs the package ${name}: npm install ${name}`);
  }
}

/**
 * What is said where a store's driver is not installed. A store imports its own, in a `try` that stands around the
 * `import()` itself: then bundlers warn of a driver that is missing, and do not fail.
 */

/** @param name the package's */
export function toMissingDriver(name: string): Error {
  return new Error(`This url needs the package ${name}: npm install ${name}`);
}

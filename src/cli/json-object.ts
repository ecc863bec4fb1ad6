/** Reads JSON objects from untrusted text. */

/** Parses a JSON object. @returns null if the text is not JSON, or not an object */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Narrows a value to an object. @returns null if it is not one; a list is not */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : null;
}

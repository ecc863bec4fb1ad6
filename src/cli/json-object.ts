/** Reads a JSON object from text that others wrote. */

/** @returns null: it is no JSON, or no object */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @returns null: it is no object; a list is none */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : null;
}

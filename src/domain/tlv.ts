/** The frame of a BR Code: objects of a two-digit id, a two-digit length and a value, one after another. */

/**
 * Cuts a text into its objects, in their order.
 *
 * Lengths count characters, not bytes (EMV QRCPS-MPM 1.1, section 3.2), so an accent counts once.
 *
 * @returns values by id; null if the text is not whole objects, or if an id comes twice: which one counts is not defined
 */
export function readTlv(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  const characters = Array.from(text);
  for (let at = 0; at < characters.length;) {
    const head = characters.slice(at, at + 4).join('');
    const id = head.slice(0, 2);
    const end = at + 4 + Number(head.slice(2));
    if (!/^\d{4}$/.test(head) || end > characters.length || fields.has(id)) return null;
    fields.set(id, characters.slice(at + 4, end).join(''));
    at = end;
  }
  return fields;
}

/**
 * Cleans typed and pasted text (numbers without decoration, lines without invisible characters) and puts masks on it.
 */

/**
 * Keeps letters and digits and drops the rest: separators of any kind, spaces, invisible characters of a paste.
 * Full-width forms and the digits of any script become ASCII. Letters stay, so that a rule can refuse them: dropping
 * them would make something else of what was typed.
 */
export function toAlphanumeric(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/\p{Nd}/gu, toAsciiDigit);
}

/** One line of free text: white space of any kind and length is one space, invisible characters go, ends are trimmed. */
export function toLine(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Its characters, none of them half. Prototype and MooTools replace `Array.from`. */
export function toCharacters(text: string): string[] {
  const characters: string[] = [];
  for (const character of text) characters.push(character);
  return characters;
}

/** Separators by the index of the character they come before. */
export type Mask = Readonly<Record<number, string>>;

/** Puts separators between characters. One comes only with the character it precedes, so deleting never sticks at one. */
export function applyMask(text: string, mask: Mask): string {
  return toCharacters(text)
    .map((character, index) => (mask[index] ?? '') + character)
    .join('');
}

/** Unicode keeps the decimal digits of each script together, from zero up: the distance to the first is the value. */
function toAsciiDigit(digit: string): string {
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10);
}

/** Cleans typed and pasted text (numbers without separators, lines without invisible characters) and puts masks on it. */

/**
 * Keeps letters and digits and drops separators of any kind, spaces, and the invisible characters of a paste. Full-width
 * forms and the digits of any script become ASCII. Letters stay, so that a rule can refuse them: without them, the text would
 * be another number than the payer typed.
 */
export function toAlphanumeric(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/\p{Nd}/gu, toAsciiDigit);
}

/** Makes one line of free text: any white space becomes one space, invisible characters are dropped, the ends are trimmed. */
export function toLine(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * Splits a text into characters without cutting one in half. It does not use `Array.from`, which Prototype and MooTools
 * replace.
 */
export function toCharacters(text: string): string[] {
  const characters: string[] = [];
  for (const character of text) characters.push(character);
  return characters;
}

/** Separators, each by the index of the character before which it stands. */
export type Mask = Readonly<Record<number, string>>;

/**
 * Puts separators between characters. Each comes only with the character after it, so that deleting never gets stuck at one.
 */
export function applyMask(text: string, mask: Mask): string {
  return toCharacters(text)
    .map((character, index) => (mask[index] ?? '') + character)
    .join('');
}

/**
 * Finds the value of a digit of any script. Unicode keeps a script's digits together, from zero up, so it counts back to
 * zero.
 */
function toAsciiDigit(digit: string): string {
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10);
}

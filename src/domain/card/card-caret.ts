/** Finds the caret's place after a text got its separators while it was typed. */

import { toCharacters } from '../characters.js';

/** A text field's value and the caret in it, in UTF-16 units, as `selectionStart` counts them. */
export interface TextWithCaret {
  readonly text: string;
  readonly caret: number;
}

const significant = /[\p{L}\p{N}]/u;

/**
 * Formats a text and keeps the caret behind the same letter or digit. If it stood behind a separator, it stands behind
 * the one there now. So Backspace behind a separator, which the format puts back, steps over it and deletes no digit.
 *
 * @param caret where the browser left it after the change
 * @param forward the change was a deletion to the right (`InputEvent.inputType` is `deleteContentForward`): the caret
 *   steps over a separator that came back, where it would be stuck before it
 */
export function formatWithCaret(
  text: string,
  caret: number,
  format: (text: string) => string,
  forward = false,
): TextWithCaret {
  const before = toCharacters(text.slice(0, caret));
  const behindSeparator = before.length > 0 && !significant.test(before.at(-1) ?? '');
  let left = before.filter((character) => significant.test(character)).length;
  const formatted = format(text);
  let at = 0;
  for (const character of formatted) {
    const isSignificant = significant.test(character);
    if (left === 0 && (isSignificant || !(forward || behindSeparator))) break;
    if (isSignificant) left--;
    at += character.length;
  }
  return { text: formatted, caret: at };
}

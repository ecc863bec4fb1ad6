/** Finds where the caret belongs after a text got its separators while it was typed. */

import { toCharacters } from '../characters.js';

/** A text field's value and its caret, in UTF-16 units, as `selectionStart` counts them. */
export interface TextWithCaret {
  readonly text: string;
  readonly caret: number;
}

const significant = /[\p{L}\p{N}]/u;

/**
 * Formats a text and keeps the caret behind the same letter or digit. If it was behind a separator, it is placed behind the
 * separator that is there now, so that Backspace steps over a separator that the format puts back, and deletes no digit.
 *
 * @param caret where the browser left it after the change
 * @param forward whether the change was a deletion to the right (`InputEvent.inputType` is `deleteContentForward`). Then the
 * caret steps over a separator that came back, because it would get stuck before it
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

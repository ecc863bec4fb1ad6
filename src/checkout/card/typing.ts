/**
 * How text gets into a field that puts separators between what is typed, however it comes: keys, paste, autofill, an
 * input method, undo. Owns the moment and the caret; knows no card and keeps nothing.
 */

import { formatWithCaret } from '../../domain/card-caret.js';

/**
 * Formats what a control holds after an event of it (`input`, `change`, `compositionend`), with the caret behind the
 * same digit.
 *
 * @returns what the control holds then
 */
export function formatTyping(event: Event, format: (text: string) => string): string {
  const input = event.target as HTMLInputElement;
  const { isComposing, inputType = '' } = event as Partial<InputEvent>;
  const typed = input.value;
  // What an input method is composing is not there yet; what undo brought back is as the payer had it.
  if (isComposing || inputType.startsWith('history')) return typed;
  const caret = input.selectionStart ?? typed.length;
  const forward = inputType === 'deleteContentForward';
  const formatted = formatWithCaret(typed, caret, format, forward);
  if (formatted.text !== typed) {
    input.value = formatted.text;
    // WebKit gives the focus to what is selected: autofill writes into fields that do not have it.
    if (input.matches(':focus')) input.setSelectionRange(formatted.caret, formatted.caret);
  }
  return formatted.text;
}

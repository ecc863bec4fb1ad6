/**
 * How text gets into a field that puts separators between what is typed, however it comes: keys, paste, autofill, an
 * input method, undo. Owns the moment, the caret and the undo history; knows no card and keeps nothing.
 */

import { formatWithCaret } from '../../domain/card/card-caret.js';
import type { TextWithCaret } from '../../domain/card/card-caret.js';

/**
 * Formats what a control holds after an event of it (`input`, `change`, `compositionend`), with the caret behind the
 * same digit.
 *
 * @returns what the control holds then
 */
export function formatTyping(event: Event, format: (text: string) => string): string {
  const input = event.target as HTMLInputElement;
  const { isComposing, inputType = '' } = event as Partial<InputEvent>;
  const { value, selectionStart, selectionEnd } = input;
  // What an input method is composing is not there yet.
  if (isComposing) return value;
  if (inputType.startsWith('history')) {
    // Stays as undo left it, or undo would stick here. It selects what formatting had replaced: all of it.
    input.setSelectionRange(selectionEnd, selectionEnd);
    return value;
  }
  const forward = inputType === 'deleteContentForward';
  const formatted = formatWithCaret(value, selectionStart ?? value.length, format, forward);
  if (formatted.text !== value) write(input, formatted);
  return input.value;
}

/** Writes as a keyboard would, so that undo and redo go on working: they make a ruin of a text that was set. */
function write(input: HTMLInputElement, { text, caret }: TextWithCaret): void {
  // Autofill writes into fields without the focus, and WebKit gives the focus to what is selected.
  if (!input.matches(':focus')) {
    input.value = text;
    return;
  }
  input.select();
  document.execCommand(text ? 'insertText' : 'delete', false, text);
  // The command is on its way out of the platform: where it does nothing, only undo suffers.
  if (input.value !== text) input.value = text;
  input.setSelectionRange(caret, caret);
}

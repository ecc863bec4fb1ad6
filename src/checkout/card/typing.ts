/**
 * Puts separators into a field's text without disturbing keys, paste, autofill, an input method or undo: when to format,
 * where the caret goes, what undo finds.
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
  // An input method is still composing.
  if (isComposing) return value;
  if (inputType.startsWith('history')) {
    // Formatting here would make undo stick. Undo selects the text that formatting had replaced: all of it.
    input.setSelectionRange(selectionEnd, selectionEnd);
    return value;
  }
  const forward = inputType === 'deleteContentForward';
  const formatted = formatWithCaret(value, selectionStart ?? value.length, format, forward);
  if (formatted.text !== value) write(input, formatted);
  return input.value;
}

/** Writes as a keyboard would: undo and redo break a text that a script has set. */
function write(input: HTMLInputElement, { text, caret }: TextWithCaret): void {
  // Autofill writes into fields without the focus, and WebKit focuses a field whose text is selected.
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

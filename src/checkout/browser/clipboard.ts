/**
 * Puts a text on the clipboard. In-app browsers, and frames without permission, refuse the modern way: then the text is
 * selected inside the shadow root and copied the old way. If that fails, it stays selected for the payer to copy by hand.
 */

/** @returns whether the text is on the clipboard */
export async function copyText(text: string, shown: HTMLTextAreaElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return shown !== null && copySelection(shown, text);
  }
}

/** What a payer with a mouse presses to copy by hand; `null`: there are no such keys. */
export function readCopyKeys(): string | null {
  if (!matchMedia('(pointer: fine)').matches) return null;
  return /Mac/.test(navigator.platform) ? '⌘C' : 'Ctrl+C';
}

function copySelection(shown: HTMLTextAreaElement, text: string): boolean {
  const root = shown.getRootNode();
  const before = root instanceof ShadowRoot ? root.activeElement : null;
  shown.focus({ preventScroll: true });
  shown.setSelectionRange(0, text.length);
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    // Some browsers throw where others answer false.
  }
  if (copied && before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}

/**
 * The browser's clocks, randomness, network, timers and storage as one object, which a test can replace; and the clipboard.
 * The page's events are in page-lifecycle.ts.
 */

import { tryTo } from '../../contract/readers.js';

/** The browser as one element uses it. */
export interface Environment {
  /** Monotonic milliseconds. Deadlines and schedules never use the wall clock, which may be wrong by a day. */
  now(): number;
  /** Wall clock, for "Pague até 14:32" and the age of the stored record. */
  wallClock(): Date;
  /** A random number from 0 to 1. */
  random(): number;
  /** A UUID that cannot be guessed. */
  uuid(): string;
  setTimer(run: () => void, delayMs: number): unknown;
  clearTimer(timer: unknown): void;
  fetch(input: string, init: RequestInit): Promise<Response>;
  /** `localStorage`; `null` if the browser has none. Throws if the browser's settings, or a sandboxed frame, forbid it. */
  storage(): Storage | null;
  /** Loads the page again. */
  reload(): void;
  warn(message: string): void;
}

/** The browser itself. */
export const browserEnvironment: Environment = {
  now: () => performance.now(),
  wallClock: () => new Date(),
  random: () => Math.random(),
  uuid: createUuid,
  setTimer: (run, delayMs) => setTimeout(run, delayMs),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  fetch: (input, init) => fetch(input, init),
  storage: () => localStorage,
  reload: () => location.reload(),
  // oxlint-disable-next-line no-console -- the merchant's developer is told what the page did wrong
  warn: (message) => console.warn(`<pix-checkout> ${message}`),
};

/** Whether a media query matches; false if there are none, as in the DOM of unit tests. */
export function matchesMedia(query: string): boolean {
  return typeof matchMedia === 'function' && matchMedia(query).matches;
}

/** Version 4, RFC 9562 section 5.4. `crypto.randomUUID` is missing on pages without TLS, such as a test machine's. */
function createUuid(): string {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const random = crypto.getRandomValues(new Uint8Array(1))[0]!;
    // A 0 or 1 of the template becomes any hexadecimal digit; the 8 stands for the variant, and leaves two random bits.
    return (Number(digit) ^ (random & (digit === '8' ? 3 : 15))).toString(16);
  });
}

// The clipboard. In-app browsers, and frames without permission, refuse `navigator.clipboard`. Then the text is selected
// inside the shadow root and copied by `execCommand`. If that fails, it stays selected, so that the payer can copy it by
// hand.
//
// A page may cancel a copy or replace its text, and the browser still reports success. So the text is read back.

/** Copies a text. @returns whether it is on the clipboard, as far as that can be known */
export async function copyText(text: string, shown: HTMLTextAreaElement | null): Promise<boolean> {
  try {
    await settleInTime(navigator.clipboard.writeText(text));
    if (await isInClipboard(text)) return true;
  } catch {
    // The browser refused, so `execCommand` is tried next.
  }
  return shown !== null && copySelection(shown, text) && isInClipboard(text);
}

/** The keys that copy a selection, for a payer with a mouse; `null` on a touch screen. */
export function readCopyKeys(): string | null {
  if (!matchesMedia('(pointer: fine)')) return null;
  return /Mac/.test(navigator.platform) ? '⌘C' : 'Ctrl+C';
}

/**
 * Copies exactly what the payer has selected in one of the element's text areas, because scripts of the page may rewrite
 * copies.
 */
export function keepCopy(event: ClipboardEvent): void {
  const [source] = event.composedPath();
  if (!(source instanceof HTMLTextAreaElement)) return;
  setCopied(event, source.value.slice(source.selectionStart, source.selectionEnd));
}

/** Reads the clipboard back, if that needs no permission prompt. */
async function isInClipboard(text: string): Promise<boolean> {
  try {
    const asked = navigator.permissions.query({ name: 'clipboard-read' as 'push' });
    const { state } = await settleInTime(asked);
    return state !== 'granted' || (await settleInTime(navigator.clipboard.readText())) === text;
  } catch {
    return true;
  }
}

/**
 * Gives up after a second, because in some WebViews these promises never settle, and `execCommand` works only shortly after a
 * press.
 */
function settleInTime<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => {
      setTimeout(reject, 1_000);
    }),
  ]);
}

/**
 * Selects the shown text, and copies it by `execCommand`. If that works, the focus goes back; if not, the text stays
 * selected.
 */
function copySelection(shown: HTMLTextAreaElement, text: string): boolean {
  const before = (shown.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
  shown.focus({ preventScroll: true });
  shown.setSelectionRange(0, text.length);
  let isPut = false;
  const listen = (event: ClipboardEvent) => {
    isPut = setCopied(event, text);
  };
  window.addEventListener('copy', listen, true);
  // Some browsers throw where others answer false.
  const copied = tryTo(() => document.execCommand('copy') && isPut) ?? false;
  window.removeEventListener('copy', listen, true);
  if (copied) before?.focus({ preventScroll: true });
  return copied;
}

/** Sets the copied text and stops the event, so that no later listener changes it. @returns whether it is set */
function setCopied(event: ClipboardEvent, text: string): boolean {
  const { clipboardData } = event;
  if (!clipboardData || text === '') return false;
  event.preventDefault();
  event.stopImmediatePropagation();
  clipboardData.clearData();
  clipboardData.setData('text/plain', text);
  return clipboardData.getData('text/plain') === text;
}

/**
 * Stands in for what a test cannot make a real browser do: hide the page, lose the line, restore it from the cache,
 * refuse the clipboard. Everything is put back by `restoreBrowser`. Knows nothing of the element.
 */

const restorers: (() => void)[] = [];

/** Undoes every stub, the last one first. */
export function restoreBrowser(): void {
  for (const restore of restorers.splice(0).toReversed()) restore();
}

/** Gives an object a property of the test's own. */
export function stub(target: object, name: string, property: PropertyDescriptor): void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { ...property, configurable: true });
  restorers.push(() => {
    if (own) Object.defineProperty(target, name, own);
    else Reflect.deleteProperty(target, name);
  });
}

/** The tab goes to the back, or comes to the front. */
export function setHidden(hidden: boolean): void {
  stub(document, 'hidden', { value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** The line is lost, or there again. */
export function setOnline(online: boolean): void {
  stub(navigator, 'onLine', { value: online });
  window.dispatchEvent(new Event(online ? 'online' : 'offline'));
}

/** The page is put away, or shown again; `persisted`: by the back-forward cache. */
export function turnPage(type: 'pagehide' | 'pageshow', persisted = true): void {
  window.dispatchEvent(new PageTransitionEvent(type, { persisted }));
}

/** What the clipboard does with a text; `missing`: there is none, as outside secure contexts. */
export type ClipboardConduct = 'takes' | 'refuses' | 'missing';

/**
 * @param holds what is read back, where the page may read; `null`: it may not
 * @returns the texts that reached the clipboard by the modern way
 */
export function stubClipboard(conduct: ClipboardConduct, holds: string | null = null): string[] {
  const taken: string[] = [];
  const writeText = async (text: string) => {
    if (conduct === 'refuses') throw new DOMException('Not allowed', 'NotAllowedError');
    taken.push(text);
  };
  const readText = async () => holds;
  const clipboard = { writeText, readText };
  stub(navigator, 'clipboard', { value: conduct === 'missing' ? undefined : clipboard });
  const state = holds === null ? 'prompt' : 'granted';
  stub(navigator, 'permissions', { value: { query: async () => ({ state }) } });
  return taken;
}

/**
 * The old way of copying, which copies what is selected.
 * @param conduct what `execCommand('copy')` answers; with true the page hears of it, as it would
 * @returns what was selected each time it was called
 */
export function stubExecCommand(conduct: () => boolean): string[] {
  const selections: string[] = [];
  stub(document, 'execCommand', {
    value: () => {
      selections.push(selectedText());
      const copied = conduct();
      const init = { clipboardData: new DataTransfer(), bubbles: true, composed: true };
      if (copied) document.activeElement?.dispatchEvent(new ClipboardEvent('copy', init));
      return copied;
    },
  });
  return selections;
}

/** The text selected in the text box that has the focus, through any number of shadow roots. */
export function selectedText(): string {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!(focused instanceof HTMLTextAreaElement)) return '';
  return focused.value.slice(focused.selectionStart, focused.selectionEnd);
}

/** A listener on the page, by whom it stays. */
export interface PageListener {
  readonly target: EventTarget;
  readonly type: string;
  readonly listener: unknown;
}

/** @returns the listeners added to document and window from now on, and not yet removed */
export function watchPageListeners(): readonly PageListener[] {
  const listeners: PageListener[] = [];
  const remove = (target: EventTarget, type: string, listener: unknown) => {
    const at = listeners.findIndex(
      (one) => one.target === target && one.type === type && one.listener === listener,
    );
    if (at >= 0) listeners.splice(at, 1);
  };
  for (const target of [document, window] as EventTarget[]) {
    const { addEventListener, removeEventListener } = target;
    stub(target, 'addEventListener', {
      value(...[type, listener, options]: Parameters<typeof addEventListener>) {
        listeners.push({ target, type, listener });
        const { signal } = typeof options === 'object' ? options : {};
        signal?.addEventListener('abort', () => remove(target, type, listener));
        addEventListener.call(target, type, listener, options);
      },
    });
    stub(target, 'removeEventListener', {
      value(...[type, listener, options]: Parameters<typeof removeEventListener>) {
        remove(target, type, listener);
        removeEventListener.call(target, type, listener, options);
      },
    });
  }
  return listeners;
}

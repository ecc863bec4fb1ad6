/**
 * Tells when the payer leaves the page and comes back: from the bank app, from another tab, from the back-forward cache,
 * from a tunnel; when it has come to be, and when a press is over. Owns the page's listeners; knows nothing of invoices.
 */

/** What the page's life means for a checkout. */
export interface PageLifeHandlers {
  /** The payer may have paid meanwhile: look now. */
  readonly onReturn: () => void;
  /** Nothing that is in flight will arrive. */
  readonly onPause: () => void;
  /** Whether there is a connection changed, or a page rendered ahead is now shown. */
  readonly onChange: () => void;
}

/** Shorter absences are a glance at a notification, not a payment. */
const awayAfterMs = 2_000;

/** Listens until the returned function is called. */
export function watchPageLife(handlers: PageLifeHandlers, now: () => number): () => void {
  let hiddenAtMs: number | null = document.hidden ? now() : null;

  const onVisibility = () => {
    if (document.hidden) {
      hiddenAtMs = now();
      return;
    }
    const awayMs = hiddenAtMs === null ? 0 : now() - hiddenAtMs;
    hiddenAtMs = null;
    if (awayMs >= awayAfterMs) handlers.onReturn();
  };
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) handlers.onReturn();
  };
  const onOnline = () => {
    handlers.onChange();
    handlers.onReturn();
  };
  const onOffline = () => {
    handlers.onChange();
    handlers.onPause();
  };

  document.addEventListener('visibilitychange', onVisibility);
  document.addEventListener('prerenderingchange', handlers.onChange);
  window.addEventListener('pageshow', onPageShow);
  window.addEventListener('pagehide', handlers.onPause);
  window.addEventListener('online', onOnline);
  window.addEventListener('offline', onOffline);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    document.removeEventListener('prerenderingchange', handlers.onChange);
    window.removeEventListener('pageshow', onPageShow);
    window.removeEventListener('pagehide', handlers.onPause);
    window.removeEventListener('online', onOnline);
    window.removeEventListener('offline', onOffline);
  };
}

/** Longest wait for scripts of a page that is not loaded, milliseconds: one of them may be slow. */
const longestScriptsMs = 500;

/** Resolves when the page's own scripts had their turn: all deferred ones run before `DOMContentLoaded`. */
export function untilScriptsRan(): Promise<unknown> {
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
    setTimeout(resolve, document.readyState === 'complete' ? 0 : longestScriptsMs);
  });
}

/** Longest wait for the end of a press, milliseconds: a menu, or a finger that scrolls, may swallow it. */
const longestPressMs = 1_000;

/** Resolves when the pointer that is down was released, and what it clicked has heard of it. */
export function untilReleased(): Promise<unknown> {
  return new Promise((resolve) => {
    addEventListener('pointerup', () => setTimeout(resolve), { once: true });
    setTimeout(resolve, longestPressMs);
  });
}

/** Whether the page is rendered ahead, before anybody has asked to see it (Chrome's speculation rules). */
export function isPrerendering(): boolean {
  return 'prerendering' in document && document.prerendering === true;
}

/** Whether the browser says that there is no connection. */
export function isOffline(): boolean {
  return !navigator.onLine;
}

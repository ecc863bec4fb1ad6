/**
 * Tells when the payer leaves the page and comes back: from the bank app, from another tab, from the back-forward cache,
 * from a tunnel. Owns the page's listeners; knows nothing of invoices.
 */

/** What the page's life means for a checkout. */
export interface PageLifeHandlers {
  /** The payer may have paid meanwhile: look now. */
  onReturn(): void;
  /** Nothing that is in flight will arrive. */
  onPause(): void;
  /** Whether there is a connection changed. */
  onLineChange(): void;
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
    handlers.onLineChange();
    handlers.onReturn();
  };
  const onOffline = () => {
    handlers.onLineChange();
    handlers.onPause();
  };

  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('pageshow', onPageShow);
  window.addEventListener('pagehide', handlers.onPause);
  window.addEventListener('online', onOnline);
  window.addEventListener('offline', onOffline);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('pageshow', onPageShow);
    window.removeEventListener('pagehide', handlers.onPause);
    window.removeEventListener('online', onOnline);
    window.removeEventListener('offline', onOffline);
  };
}

/** Whether the browser says that there is no connection. */
export function isOffline(): boolean {
  return navigator.onLine === false;
}

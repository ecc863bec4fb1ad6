/**
 * Tells when the payer leaves the page and comes back (from the bank app, another tab, the back-forward cache, a tunnel),
 * when the page's scripts have run, and when a press is over.
 */

/** Called when the payer leaves the page or comes back, and when the connection or the prerendering changes. */
interface PageLifeHandlers {
  /** The payer may have paid meanwhile, so the element looks up now. */
  readonly onReturn: () => void;
  /** The page goes away (`pagehide`), and no request in flight will be answered. */
  readonly onPause: () => void;
  /** The connection came or went, or a prerendered page is shown now. */
  readonly onChange: () => void;
}

/** A shorter absence is a glance at a notification, not a payment. */
const awayAfterMs = 2_000;

/** Calls the handlers until the returned function is called. */
export function watchPageLife(
  { onReturn, onPause, onChange }: PageLifeHandlers,
  now: () => number,
): () => void {
  let hiddenAtMs = document.hidden ? now() : Infinity;

  const stop = new AbortController();
  const listen = (target: EventTarget, name: string, listener: (event: Event) => void) =>
    target.addEventListener(name, listener, stop);
  listen(document, 'visibilitychange', () => {
    const isBack = !document.hidden && now() - hiddenAtMs >= awayAfterMs;
    hiddenAtMs = document.hidden ? now() : Infinity;
    if (isBack) onReturn();
  });
  listen(document, 'prerenderingchange', onChange);
  listen(window, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) onReturn();
  });
  listen(window, 'pagehide', onPause);
  listen(window, 'online', () => {
    onChange();
    onReturn();
  });
  // Look-ups go on at growing intervals, because behind a VPN and in WebViews `online` may never follow.
  listen(window, 'offline', onChange);
  return () => stop.abort();
}

/** Longest wait for the page's scripts, milliseconds, because one of them may be slow. */
const longestScriptsMs = 500;

/** Resolves when the page's own scripts have run: all deferred ones run before `DOMContentLoaded`. */
export function waitForScripts(): Promise<unknown> {
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
    setTimeout(resolve, document.readyState === 'complete' ? 0 : longestScriptsMs);
  });
}

/** Longest wait for the end of a press, milliseconds, because a menu, or a finger that scrolls, may swallow it. */
const longestPressMs = 1_000;

/** Resolves when the pressed pointer was released, and its click was handled. */
export function waitForRelease(): Promise<unknown> {
  return new Promise((resolve) => {
    addEventListener('pointerup', () => setTimeout(resolve), { once: true });
    setTimeout(resolve, longestPressMs);
  });
}

/** Whether the page is prerendered, before the payer asked to see it (Chrome's speculation rules). */
export function isPrerendering(): boolean {
  return Boolean((document as { prerendering?: boolean }).prerendering);
}

/** Whether the browser says that there is no connection. */
export function isOffline(): boolean {
  return !navigator.onLine;
}

/**
 * Collects what happened: requests of the page to the proxy, what the proxy logged, events of the element, and what its
 * live region said. Bodies are masked before they are kept.
 */

import { toMasked } from './mask.js';
import type { ProxyEntry } from './proxy-log.js';

/** Where an entry comes from. */
export const logKinds = ['request', 'proxy', 'event', 'spoken'] as const;

/** One line of the log. */
export interface Entry {
  readonly kind: (typeof logKinds)[number];
  readonly atMs: number;
  readonly title: string;
  /** The text that an opened entry shows. */
  readonly details: readonly string[];
}

const eventNames = [
  'pix-ready',
  'pix-submit',
  'pix-created',
  'pix-status',
  'pix-copy',
  'pix-paid',
  'pix-expired',
  'pix-error',
] as const;

/** Most entries kept. */
const capacity = 300;

/** The log of one page, newest first. */
export class Log {
  entries: readonly Entry[] = [];
  #proxyNumber = 0;

  /** @param onChange is called after each change */
  constructor(readonly onChange: () => void) {}

  /** Starts to listen on the page. */
  start(): void {
    const listen = ({ type, detail }: CustomEvent): void => {
      this.#add({ kind: 'event', title: `${type} ${JSON.stringify(detail)}` });
    };
    for (const name of eventNames) document.addEventListener(name, listen as EventListener);
    this.#recordRequests();
  }

  /** Listens to the live region of an element that is on the page. */
  listenTo({ shadowRoot }: Element): void {
    let said = '';
    const listen = () => {
      const text = shadowRoot?.querySelector('[role="status"]')?.textContent?.trim() ?? '';
      if (text !== '' && text !== said) this.#add({ kind: 'spoken', title: text });
      said = text;
    };
    const news = { childList: true, characterData: true, subtree: true };
    if (shadowRoot) new MutationObserver(listen).observe(shadowRoot, news);
    listen();
  }

  /** Takes over what the proxy has logged since this page was opened. */
  addProxyEntries(entries: readonly ProxyEntry[]): void {
    for (const { number, atMs, entry } of entries) {
      if (number <= this.#proxyNumber || atMs < performance.timeOrigin) continue;
      const { level, event, ...rest } = entry;
      const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
      this.#add({ kind: 'proxy', atMs, title: `${level} ${event}${more}` });
    }
    this.#proxyNumber = Math.max(this.#proxyNumber, ...entries.map(({ number }) => number));
  }

  clear(): void {
    this.#set([]);
  }

  /** The page's `fetch` is what the element calls: here each request and its answer passes by. */
  #recordRequests(): void {
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      const { pathname, search } = new URL(
        input instanceof Request ? input.url : input,
        location.href,
      );
      if (!pathname.startsWith('/pix/')) return fetch(input, init);
      const startedAt = Date.now();
      const name = `${init?.method ?? 'GET'} ${pathname}${search}`;
      const sent = typeof init?.body === 'string' ? [`→ ${toMasked(init.body)}`] : [];
      let last = this.#add({ kind: 'request', atMs: startedAt, title: `${name} …`, details: sent });
      const end = (outcome: string, got: readonly string[] = []) => {
        const title = `${name} ${outcome} ${Date.now() - startedAt} ms`;
        const next = { ...last, title, details: [...sent, ...got] };
        this.#set(this.entries.map((entry) => (entry === last ? next : entry)));
        last = next;
      };
      try {
        const response = await fetch(input, init);
        end(String(response.status));
        void response
          .clone()
          .text()
          .then((body) => end(String(response.status), [`← ${toMasked(body)}`]))
          // Cut off in the middle: the element says so.
          .catch(() => end(`${response.status}, broken off`));
        return response;
      } catch (error) {
        end(error instanceof Error && error.name === 'AbortError' ? 'aborted' : 'failed');
        throw error;
      }
    };
  }

  #add(entry: Pick<Entry, 'kind' | 'title'> & Partial<Entry>): Entry {
    const whole = { atMs: Date.now(), details: [], ...entry };
    this.#set([whole, ...this.entries].toSorted((a, b) => b.atMs - a.atMs).slice(0, capacity));
    return whole;
  }

  #set(entries: readonly Entry[]): void {
    this.entries = entries;
    this.onChange();
  }
}

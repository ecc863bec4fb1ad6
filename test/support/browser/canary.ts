/**
 * Finds planted secrets in whatever a payment left behind.
 *
 * Owns where a page can leak (requests, answers, console, storage, attributes, text) and in which spellings; knows
 * nothing of what is secret.
 */
import type { Page } from 'puppeteer-core';

/** A text to search, and a name for where it was found. */
export interface Trace {
  readonly place: string;
  readonly text: string;
}

/**
 * One line per find, `name in place`: the secret itself is never repeated.
 * @param canaries planted values by name
 */
export function findCanaries(
  canaries: Readonly<Record<string, string>>,
  traces: readonly Trace[],
): string[] {
  return Object.entries(canaries).flatMap(([name, value]) => {
    const spellings = spellingsOf(value);
    return traces
      .filter(({ text }) => spellings.some((spelling) => text.includes(spelling)))
      .map(({ place }) => `${name} in ${place}`);
  });
}

/** As it is, as URLs and JSON write it, as base64 of both alphabets, and the bare digits of a number. */
function spellingsOf(value: string): string[] {
  const digits = value.replace(/\D/g, '');
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    ...base64Of(value, 'base64'),
    ...base64Of(value, 'base64url'),
    ...(digits.length >= 8 ? [digits] : []),
  ];
}

/** What base64 looks like depends on how many bytes stand before the value, modulo three. */
function base64Of(value: string, alphabet: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + value).toString(alphabet);
    // Cut off: the characters that share bits with what stands before and after the value.
    return encoded.slice(offset === 0 ? 0 : offset + 1).replace(/.?=*$/, '');
  });
}

/** Records what a page sends, gets and logs from now on. */
export type PageRecorder = ReturnType<typeof recordPage>;

/** Starts recording. Call it before the page is opened. Bodies of requests are left out: they carry the payer's data. */
export function recordPage(page: Page) {
  const traces: Trace[] = [];
  const reading: Promise<void>[] = [];
  const note = (place: string, text: string) => traces.push({ place, text });
  page.on('console', (message) => note('console', message.text()));
  page.on('pageerror', (error) => note('error', error instanceof Error ? error.message : ''));
  page.on('request', (request) => note('URL', request.url()));
  page.on('response', (response) => {
    const place = `answer of ${response.request().method()} ${new URL(response.url()).pathname}`;
    note(`headers of ${place}`, JSON.stringify(response.headers()));
    // A response without a body (a redirect, an aborted one) has nothing to search.
    const body = response.text().catch(() => '');
    reading.push(body.then((text) => void note(place, text)));
  });
  return {
    /**
     * Everything recorded, and what the page holds now: storage, address, attributes, text outside inputs, and what was heard.
     * @param log what the proxy has said
     */
    async traces(log: readonly object[] = []) {
      await Promise.all(reading);
      const heard = await page.evaluate(() => window.heard ?? []);
      return [
        ...traces,
        ...(await page.evaluate(readPage)),
        ...heard.map(({ type, detail }) => toTrace(`event ${type}`, detail)),
        ...log.map((entry) => toTrace('log', entry)),
      ];
    },
  };
}

const toTrace = (place: string, value: object): Trace => ({ place, text: JSON.stringify(value) });

/** Runs inside the page. */
function readPage(): Trace[] {
  const traces: Trace[] = [{ place: 'address', text: location.href }];
  for (const [name, storage] of Object.entries({ localStorage, sessionStorage })) {
    traces.push({ place: name, text: JSON.stringify(storage) });
  }
  traces.push({ place: 'cookie', text: document.cookie });
  const roots: ParentNode[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      const tag = element.localName;
      for (const { name, value } of element.attributes) {
        traces.push({ place: `attribute ${name} of <${tag}>`, text: value });
      }
      for (const node of element.childNodes) {
        if (node instanceof Text) traces.push({ place: `text of <${tag}>`, text: node.data });
      }
    }
  }
  return traces;
}

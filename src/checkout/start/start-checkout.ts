/**
 * Starts the Pix request of an element before its script is there, as the element itself would: the same question to the
 * page (`pix-submit`), the same stored record and key, the same request. The element takes the answer over as its
 * `invoice`. What is not plain is left to the element: another method, a payer to ask, an earlier attempt.
 */

import { isTotalCents } from '../../domain/money.js';
import { toRecordPrefix } from '../browser/storage.js';

/** A creation that began before its element was defined: the promise of its answer, or the answer. */
export interface EarlyInvoice {
  /** The key that it was sent with, and under which the element's record stands. */
  readonly attemptKey: string;
}

type Page = Element & { invoice?: unknown; autoStart?: boolean };

/** Elements that ask the payer nothing, and that begin with Pix. Written as the attributes are documented, or left alone. */
const ready =
  'pix-checkout[auto-start][external-id][payer-fields=""]:not([auto-start=false i],[invoice],[invoice-id],[methods]:not([methods^=pix]),[method]:not([method=pix]))';

/** The proxy of an element without `endpoint`: the one that served the script. */
const script = '/assets/pix-checkout.min.js';

const travels = { bubbles: true, composed: true };

/** As long as the element waits for a creation, milliseconds. */
const timeoutMs = 25_000;

/** Starts the request of each element that is ready for it, once. */
export function startAll(): void {
  document.querySelectorAll<Page>(ready).forEach(start);
}

function start(page: Page): void {
  // Properties that a script has set say more than attributes do. A page rendered ahead was not asked for yet.
  if (Object.keys(page).length > 0 || Object(document).prerendering) return;
  try {
    begin(page, (name) => page.getAttribute(name)?.trim() || null);
  } catch {
    // No storage, no `randomUUID`, no address: the element knows what to do then.
  }
}

function begin(page: Page, read: (name: string) => string | null): void {
  const externalId = read('external-id')!;
  const from = document.querySelector<HTMLScriptElement>(`script[src$="${script}"]`)?.src;
  const { origin, pathname } = new URL(
    read('endpoint') ?? from!.slice(0, -script.length),
    document.baseURI,
  );
  const endpoint = (origin + pathname).replace(/\/+$/, '');
  const orderToken = read('order-token');
  const total = read('pix-total-price-cents') ?? read('total-price-cents');
  const totalCents = total === null ? null : Number(total);
  const order = toRecordPrefix(endpoint, externalId);
  // The element resumes a stored attempt, and warns of a total that cannot be read.
  const isKnown = Object.keys(localStorage).some((name) => name.startsWith(`${order} `));
  if (isKnown || (totalCents !== null && !isTotalCents(totalCents))) return;
  const attemptKey = crypto.randomUUID();
  const record = `${order} ${attemptKey}`;
  const detail = { method: 'pix', externalId };
  const submit = new CustomEvent('pix-submit', { ...travels, cancelable: true, detail });
  // The form stays, as where the element itself was told so.
  if (!page.dispatchEvent(submit)) return void (page.autoStart = false);
  // Stored before it leaves: a reload must find the key.
  const attempt = { attemptKey, invoiceId: null, lookupToken: null, method: 'pix', totalCents };
  localStorage.setItem(record, JSON.stringify({ ...attempt, createdAt: Date.now() }));
  const asked = fetch(`${endpoint}/invoices`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': attemptKey },
    body: JSON.stringify({
      method: 'pix',
      external_id: externalId,
      // JSON leaves out undefined fields.
      order_token: orderToken ?? undefined,
      expected_total_cents: totalCents ?? undefined,
    }),
    cache: 'no-store',
    redirect: 'error',
    // Older browsers have none: then the element stops waiting.
    signal: AbortSignal.timeout?.(timeoutMs),
  });
  const invoice = asked
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer)))
    .then(({ data }) => {
      // Drawn with the element's first rendering.
      if (data && !customElements.get('pix-checkout')) page.invoice = { ...data, attemptKey };
      return data ?? Promise.reject(data);
    })
    .catch(() => {
      // The element asks by itself, and says what is wrong. The proxy answers it with the same invoice, if there is one.
      localStorage.removeItem(record);
      if (page.invoice === early) page.invoice = null;
      return new Promise(() => {});
    });
  const early = Object.assign(invoice, { attemptKey } satisfies EarlyInvoice);
  page.invoice = early;
}

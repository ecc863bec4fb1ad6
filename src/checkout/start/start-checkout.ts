/**
 * Starts the Pix request of an element before its script is loaded, as the element itself would: it asks the page with the
 * same event (`pix-submit`), stores the same record and key, and sends the same request. The element takes the answer over as
 * its `invoice`. It leaves all special cases to the element: another method, a payer to ask, an earlier attempt.
 */

import { isTotalCents } from '../../domain/money.js';
import { toRecordPrefix } from '../browser/storage.js';

/** A creation that began before its element was defined: its answer, or the promise of it. */
export interface EarlyInvoice {
  /** The key with which it was sent, and under which the element stores its record. */
  readonly attemptKey: string;
}

type Page = Element & { invoice?: unknown; autoStart?: boolean };

/** Matches elements that ask the payer nothing and begin with Pix, if their attributes are written as documented. */
const ready =
  'pix-checkout[auto-start][external-id][payer-fields=""]:not([auto-start=false i],[invoice],[invoice-id],[methods]:not([methods^=pix]),[method]:not([method=pix]))';

/** The path of the script, for an element without `endpoint`: its proxy has served the script. */
const script = '/assets/pix-checkout.min.js';

const travels = { bubbles: true, composed: true };

/** The time-out of the request, milliseconds: the element waits as long for a creation. */
const timeoutMs = 25_000;

/** Starts the request of each element that is ready for it, once. */
export function startAll(): void {
  document.querySelectorAll<Page>(ready).forEach(start);
}

/** Starts an element's request, if its attributes alone say what the element would do. */
function start(page: Page): void {
  // Properties that a script has set override attributes. The payer has not asked to see a prerendered page yet.
  if (Object.keys(page).length > 0 || Object(document).prerendering) return;
  try {
    begin(page, (name) => page.getAttribute(name)?.trim() || null);
  } catch {
    // There is no storage, no `randomUUID` or no address. The element knows what to do then.
  }
}

/**
 * Asks the page, stores the attempt and sends the request. @throws if the browser lacks something; the element then begins
 */
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
  // The page canceled the event, so the form stays, as it does in the element.
  if (!page.dispatchEvent(submit)) return void (page.autoStart = false);
  // The attempt is stored before the request is sent, because a reload must find its key.
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
    // Older browsers have no such signal. Then only the element stops waiting.
    signal: AbortSignal.timeout?.(timeoutMs),
  });
  const invoice = asked
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer)))
    .then(({ data }) => {
      // The answer is shown with the element's first rendering.
      if (data && !customElements.get('pix-checkout')) page.invoice = { ...data, attemptKey };
      return data ?? Promise.reject(data);
    })
    .catch(() => {
      // The element sends its own request, and shows what is wrong. If there is an invoice, the proxy answers with the same
      // one.
      localStorage.removeItem(record);
      if (page.invoice === early) page.invoice = null;
      return new Promise(() => {});
    });
  const early = Object.assign(invoice, { attemptKey } satisfies EarlyInvoice);
  page.invoice = early;
}

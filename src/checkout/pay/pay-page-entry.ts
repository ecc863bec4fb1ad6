/**
 * The script of the payment page (`proxy/pay`): takes the order token out of the link, asks the proxy what is owed, and
 * mounts the element. Words and looks are in the page. The fragment stays in the address, so that a reload works, and is sent
 * nowhere but in the proxy's own requests.
 */

import type { OrderSummary, Problem } from '../../contract/types.js';

/** The element's properties that this script sets. */
type Checkout = HTMLElement & { items: unknown; invoice: unknown };

const main = document.querySelector('main')!;
const checkout = document.importNode(main.querySelector('template')!.content, true)
  .firstElementChild as Checkout;
const endpoint = (checkout.getAttribute('endpoint') ?? '').replace(/\/$/, '');
const orderToken = location.hash.slice(1);
/** The reference of a public order; empty if the link has a token. */
const reference = location.pathname.slice(`${endpoint}/pay/`.length);

// The payer opened another link in the same tab.
addEventListener('hashchange', () => location.reload());
main.querySelector('button')!.addEventListener('click', () => location.reload());
open().catch(() => {
  show('unreachable');
  addEventListener('online', () => location.reload());
});

/** Asks the proxy for the order, and mounts the element or shows why the order cannot be paid. */
async function open(): Promise<void> {
  if (!orderToken && !reference) return show('link');
  // A browser that failed to fetch a module may not try again, so a retry reloads the page.
  const url = new URL(/* @vite-ignore */ './pix-checkout.min.js', import.meta.url);
  const element = import(/* @vite-ignore */ url.href);
  const query = orderToken ? '' : `?external_id=${reference}`;
  const headers: HeadersInit = orderToken ? { 'order-token': orderToken } : {};
  const [answer] = await Promise.all([fetch(`${endpoint}/order${query}`, { headers }), element]);
  const body: unknown = await answer.json();
  if (answer.ok) return offer((body as { data: OrderSummary }).data);
  const { code, data } = body as Partial<Problem>;
  if (code === 'order_paid' && data) return mount(data);
  if (code === 'order_paid') return show('paid');
  if (code === 'order_closed') return show('closed');
  if (code === 'order_failed') return show('failed');
  if (answer.status === 401 || code === 'unknown_order') return show('link');
  throw new Error(code);
}

/** Mounts the element for an order that can be paid. */
function offer({ external_id: externalId, totals, items }: OrderSummary): void {
  const { pix, credit_card: card } = totals;
  checkout.setAttribute('external-id', externalId);
  checkout.setAttribute('total-price-cents', String(card ?? pix));
  if (card && pix && pix !== card) checkout.setAttribute('pix-total-price-cents', String(pix));
  checkout.items = items;
  mount();
}

/** Mounts the element. @param invoice the invoice that paid the order: the element looks it up, and shows the receipt */
function mount(invoice?: Problem['data']): void {
  if (orderToken) checkout.setAttribute('order-token', orderToken);
  if (invoice) {
    checkout.setAttribute('external-id', String(invoice.external_id));
    checkout.invoice = invoice;
  }
  show('');
  main.append(checkout);
}

/** Shows the page's screen of this name, and hides the others. */
function show(name: string): void {
  for (const screen of main.querySelectorAll<HTMLElement>('[data-screen]')) {
    screen.hidden = screen.dataset['screen'] !== name;
  }
}

/** The payer's bank, what was charged for the order, and what the shop knows. */

import { html, nothing, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Charges } from '../../src/sandbox/charges.js';
import { bank, pay, sendPostback, setStatus } from './api.js';
import type { Run, SandboxInvoice } from './api.js';
import type { ShopRecord } from './routes.js';

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** What the panel shows. */
export interface BankModel {
  readonly invoices: readonly SandboxInvoice[];
  /** The charges of this page's order. */
  readonly charges: Charges;
  /** What the shop knows about it. */
  readonly shop: ShopRecord;
  /** Reference of this page's order, which stands first; the others are folded. */
  readonly reference: string;
}

/** Shows the panel. @param run runs the action of a button and shows its result */
export function showBank(
  container: HTMLElement,
  { invoices, charges, shop, reference }: BankModel,
  run: Run,
): void {
  const own = invoices.filter(({ external_id }) => external_id === reference);
  const others = invoices.filter(({ external_id }) => external_id !== reference);
  render(
    html`<header>
        <h3>Bank <small>(test)</small></h3>
        <p>${toWords(charges)}</p>
        <p>${toShopWords(shop)}</p>
        <label class="check"
          ><input type="checkbox" checked @change=${setTelling} /> Payments send a postback at
          once</label
        >
      </header>
      ${own.length === 0 ? html`<p class="none">No invoice of this order yet.</p>` : nothing}
      ${renderInvoices(own, 'own', run)}
      ${
        others.length === 0
          ? nothing
          : html`<details class="others">
              <summary>Other orders (${others.length})</summary>
              ${renderInvoices(others, '', run)}
            </details>`
      }`,
    container,
  );
}

function renderInvoices(invoices: readonly SandboxInvoice[], look: string, run: Run) {
  return html`<ul>
    ${repeat(
      invoices,
      ({ invoice_id }) => invoice_id,
      (invoice) => renderInvoice(invoice, look, run),
    )}
  </ul>`;
}

function renderInvoice(invoice: SandboxInvoice, look: string, run: Run) {
  const { invoice_id: id, order_code, external_id, method, status, total_cents } = invoice;
  const isOver = ['paid', 'refused', 'refunded'].includes(status);
  return html`<li class="${look} ${status === 'paid' ? 'done' : ''}">
    <p>
      <b>${money.format(total_cents / 100)}</b>
      <span class="status">${status}</span>
      <small
        >${method === 'pix' ? 'Pix' : 'Card'}, order ${external_id ?? '–'} · ${order_code}</small
      >
    </p>
    ${isOver ? nothing : method === 'pix' ? renderPayment(id, run) : renderDecision(id, run)}
    ${status === 'paid' ? renderPostback(id, run) : nothing}
    <details>
      <summary>Another status</summary>
      <form class="buttons" @submit=${(event: SubmitEvent) => run(() => submitStatus(event, id))}>
        <input name="status" aria-label="Status of ${order_code}" value="em_analise" required />
        <button>Set</button>
      </form>
    </details>
  </li>`;
}

function renderPayment(id: string, run: Run) {
  return html`<div class="buttons">
    <button type="button" class="pay" @click=${() => run(() => pay(id))}>Pay</button>
  </div>`;
}

/** A postback can be sent any number of times: the shop hears of a payment, and of a return, once. */
function renderPostback(id: string, run: Run) {
  return html`<div class="buttons">
    <button type="button" @click=${() => run(() => tellProxy(id))}>Send a postback</button>
    <button type="button" @click=${() => run(() => payBack(id))}>Refund and send a postback</button>
  </div>`;
}

/** Buttons for a pending card. */
function renderDecision(id: string, run: Run) {
  return html`<div class="buttons">
    <button type="button" class="pay" @click=${() => run(() => pay(id))}>Approve</button>
    <button type="button" @click=${() => run(() => setStatus(id, 'refused'))}>Refuse</button>
  </div>`;
}

/** Shows that there was one charge only. A pending card counts: it may be charged. */
function toWords({ count, total_cents, attempts }: Charges): string {
  const tried =
    attempts === 0 ? '' : ` · card: ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return `This order: charged ${count} ×, ${money.format(total_cents / 100)}${tried}`;
}

/** Shows whether `onPaid` came, by which the shop ships, and `onReturned`. */
function toShopWords({ status, paidInvoiceIds, returnedAs }: ShopRecord): string {
  const times = paidInvoiceIds.length;
  if (times > 1) return `Shop: paid ${times} times (onPaid), a person has to give it back`;
  const after = returnedAs.length > 0 ? `, then ${returnedAs.join(', ')} (onReturned)` : '';
  if (times === 1) return `Shop: paid (onPaid)${after}`;
  return `Shop: ${status ?? 'does not know this order'}`;
}

async function payBack(id: string): Promise<string> {
  await setStatus(id, 'refunded');
  return tellProxy(id);
}

function setTelling({ target }: Event): void {
  bank.tellsAtOnce = (target as HTMLInputElement).checked;
}

/** Sends a postback and shows the proxy's answer. The payment counts by a look-up either way. */
async function tellProxy(id: string): Promise<string> {
  const { delivered, status } = await sendPostback(id);
  return delivered ? 'Postback delivered' : `Postback not taken (${status ?? 'no answer'})`;
}

async function submitStatus(event: SubmitEvent, id: string): Promise<void> {
  event.preventDefault();
  const status = new FormData(event.target as HTMLFormElement).get('status');
  await setStatus(id, typeof status === 'string' ? status : '');
}

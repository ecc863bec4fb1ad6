/** "Banco (teste)": the payer's bank, as one list of what can be paid. In Portuguese, for it plays a part. */

import { html, nothing, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { sendPostback, setStatus, settle } from './api.js';
import type { SandboxInvoice } from './api.js';
import type { Run } from './sandbox-panels.js';

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** What the bank knows. */
export interface BankModel {
  readonly invoices: readonly SandboxInvoice[];
  /** Reference of this page's order, which is marked. */
  readonly reference: string;
}

/** Shows the panel. @param run does what a button asks for, and shows what became of it */
export function showBank(
  container: HTMLElement,
  { invoices, reference }: BankModel,
  run: Run,
): void {
  render(
    html`<header>
        <h3>Banco <small>(teste)</small></h3>
        <p>Conta do pagador</p>
      </header>
      ${invoices.length === 0 ? html`<p class="none">Nenhuma cobrança Pix ainda.</p>` : nothing}
      <ul>
        ${repeat(
          invoices,
          ({ invoice_id }) => invoice_id,
          (invoice) => renderInvoice(invoice, invoice.external_id === reference, run),
        )}
      </ul>`,
    container,
  );
}

function renderInvoice(invoice: SandboxInvoice, isOwn: boolean, run: Run) {
  const { invoice_id: id, order_code, external_id, status, total_cents } = invoice;
  return html`<li class="${isOwn ? 'own' : ''} ${status === 'paid' ? 'done' : ''}">
    <p>
      <b>${money.format(total_cents / 100)}</b>
      <span class="status">${status}</span>
      <small>Pedido ${external_id ?? '–'} · ${order_code}</small>
    </p>
    ${status === 'paid' ? nothing : renderPayment(id, run)}
    <details>
      <summary>Outro status</summary>
      <form class="buttons" @submit=${(event: SubmitEvent) => run(() => submitStatus(event, id))}>
        <input name="status" aria-label="Status de ${order_code}" value="em_analise" required />
        <button>Definir</button>
      </form>
    </details>
  </li>`;
}

function renderPayment(id: string, run: Run) {
  return html`<div class="buttons">
    <button type="button" class="pay" @click=${() => run(() => settle(id))}>Pagar</button>
    <button type="button" @click=${() => run(() => payAndTell(id))}>
      Pagar e avisar (postback)
    </button>
  </div>`;
}

/** The answer is what the proxy said to the sandbox: the payment counts by its look-up either way. */
async function payAndTell(id: string): Promise<string> {
  await settle(id);
  const { delivered, status } = await sendPostback(id);
  return delivered ? 'Postback delivered' : `Postback not taken (${status ?? 'no answer'})`;
}

async function submitStatus(event: SubmitEvent, id: string): Promise<void> {
  event.preventDefault();
  const status = new FormData(event.target as HTMLFormElement).get('status');
  await setStatus(id, typeof status === 'string' ? status : '');
}

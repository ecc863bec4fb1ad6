/**
 * The sandbox's page at `/sandbox/`: its invoices, newest first, with a button for each thing a bank may do. The server draws
 * all of it; a form is one call of the control surface.
 */

import { countCharges } from '../charges.js';
import type { Fault } from '../faults.js';
import { faultKinds } from '../faults.js';
import type { SandboxInvoice } from '../invoice.js';
import { bankScript, bankStyles } from './bank-assets.js';

/** What the page shows. */
export interface Bank {
  readonly invoices: readonly SandboxInvoice[];
  readonly faults: readonly Fault[];
}

/** A call of the control surface. */
export interface BankCall {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Below `/sandbox/`. */
  readonly path: string;
  readonly body?: unknown;
}

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** Nothing of a foreign origin, and no frame around it. */
const policy = [
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'",
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
].join('; ');

const assets: Readonly<Record<string, readonly [type: string, text: string]>> = {
  'bank.css': ['text/css', bankStyles],
  'bank.js': ['text/javascript', bankScript],
};

/** Each button by the word of its form. */
const actions: Readonly<Record<string, (id: string) => BankCall>> = {
  Pay: (id) => ({ method: 'POST', path: `invoices/${id}/pay` }),
  Refuse: (id) => toStatus(id, 'refused'),
  Expire: (id) => toStatus(id, 'expired'),
  Return: (id) => toStatus(id, 'refunded'),
  Postback: (id) => ({ method: 'POST', path: `invoices/${id}/postback` }),
};

/** @param name null for the page itself, else the file. @returns undefined: no such file */
export function drawBank(name: string | null, bank: Bank): Response | undefined {
  if (name === null) return send('text/html', toPage(bank));
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset && send(...asset);
}

/** @returns the call that a form stands for; null: none */
export function readBankForm(form: URLSearchParams): BankCall | null {
  const act = form.get('act') ?? '';
  const id = form.get('invoice_id') ?? '';
  if (act === 'Clear') return { method: 'DELETE', path: 'faults' };
  if (act === 'Set') {
    const [on, kind] = (form.get('fault') ?? '').split(' ');
    return { method: 'PUT', path: 'faults', body: [{ on, kind, times: 1 }] };
  }
  const toCall = Object.hasOwn(actions, act) ? actions[act] : undefined;
  return toCall ? toCall(encodeURIComponent(id)) : null;
}

function toStatus(id: string, status: string): BankCall {
  return { method: 'POST', path: `invoices/${id}/status`, body: { status } };
}

function send(type: string, text: string): Response {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return new Response(text, { headers });
}

function toPage({ invoices, faults }: Bank): string {
  const moved = countCharges(invoices);
  const rows = invoices.toReversed().map(toRow).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox bank</title>
<link rel="stylesheet" href="/sandbox/bank.css">
<script type="module" src="/sandbox/bank.js"></script>
<main>
  <header>
    <h1>Sandbox bank</h1>
    <p>No money moves here. ${invoices.length} ${invoices.length === 1 ? 'invoice' : 'invoices'}, ${moved.count} charged: ${money.format(moved.total_cents / 100)}</p>
  </header>
  ${rows === '' ? '<p class="empty">No invoice yet. Make one in your checkout, and it appears here.</p>' : `<ol>${rows}</ol>`}
  ${toFaults(faults)}
</main>
</html>`;
}

function toRow(invoice: SandboxInvoice): string {
  const { invoiceId, orderCode, isPix, status, request } = invoice;
  const amount = money.format(request.total_price_cents / 100);
  const reference = escape(request.external_id ?? 'no reference');
  const buttons = Object.keys(actions).map((act) => {
    const isPaid = invoice.paidAtMs !== null;
    const fits = act === 'Postback' || (act === 'Return') === isPaid;
    return `<button name="act" value="${act}" id="${act}-${invoiceId}" aria-label="${act} ${reference}"${fits ? '' : ' disabled'}>${act}</button>`;
  });
  return `<li>
    <p><strong>${amount}</strong> <span class="status ${status === 'paid' ? 'paid' : ''}">${escape(status)}</span></p>
    <p class="about">${reference} · ${isPix ? 'Pix' : 'card'} · ${escape(orderCode)}</p>
    <form method="post" action="/sandbox/"><input type="hidden" name="invoice_id" value="${invoiceId}">${buttons.join('')}</form>
  </li>`;
}

/** The next creation or look-up goes wrong, once. */
function toFaults(faults: readonly Fault[]): string {
  const options = (['create', 'look_up'] as const).map((on) => {
    const kinds = faultKinds.map((kind) => `<option value="${on} ${kind}">${on}: ${kind}</option>`);
    return `<optgroup label="next ${on}">${kinds.join('')}</optgroup>`;
  });
  const due = faults.filter(({ times }) => times !== 0);
  const now = due.map(({ on, kind }) => `<li>${on}: ${kind}</li>`).join('');
  return `<section>
    <h2>Faults</h2>
    <form method="post" action="/sandbox/">
      <label for="fault">Spoil the next</label>
      <select name="fault" id="fault">${options.join('')}</select>
      <button name="act" value="Set" id="set">Set</button>
      ${now === '' ? '' : `<button name="act" value="Clear" id="clear">Clear</button>`}
    </form>
    ${now === '' ? '' : `<ul>${now}</ul>`}
  </section>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replaceAll(/[&<"]/g, (character) => entities[character] ?? '');
}

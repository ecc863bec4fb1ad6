/**
 * The sandbox's page at `/sandbox/`: its invoices, newest first, with a button for each thing a bank may do. The server draws
 * all of it; a form is one call of the control surface.
 */

import { countCharges } from './charges.js';
import type { Fault } from './faults.js';
import { faultKinds } from './faults.js';
import type { SandboxInvoice } from './invoice.js';

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

/** Allows nothing of another origin, and no frame around the page. */
const policy = [
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'",
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
].join('; ');

/** Each button by the word of its form. */
const actions: Readonly<Record<string, (id: string) => BankCall>> = {
  Pay: (id) => ({ method: 'POST', path: `invoices/${id}/pay` }),
  Refuse: (id) => toStatus(id, 'refused'),
  Expire: (id) => toStatus(id, 'expired'),
  Return: (id) => toStatus(id, 'refunded'),
  Postback: (id) => ({ method: 'POST', path: `invoices/${id}/postback` }),
};

/** @param name of a file; null for the page itself. @returns undefined if there is no such file */
export function drawBank(name: string | null, bank: Bank): Response | undefined {
  if (name === null) return send('text/html', toPage(bank));
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset && send(...asset);
}

/** @returns the control call of a form; null for another form */
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
  const reference = escapeHtml(request.external_id ?? 'no reference');
  const buttons = Object.keys(actions).map((act) => {
    const isPaid = invoice.paidAtMs !== null;
    const fits = act === 'Postback' || (act === 'Return') === isPaid;
    return `<button name="act" value="${act}" id="${act}-${invoiceId}" aria-label="${act} ${reference}"${fits ? '' : ' disabled'}>${act}</button>`;
  });
  return `<li>
    <p><strong>${amount}</strong> <span class="status ${status === 'paid' ? 'paid' : ''}">${escapeHtml(status)}</span></p>
    <p class="about">${reference} · ${isPix ? 'Pix' : 'card'} · ${escapeHtml(orderCode)}</p>
    <form method="post" action="/sandbox/"><input type="hidden" name="invoice_id" value="${invoiceId}">${buttons.join('')}</form>
  </li>`;
}

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

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<"]/g, (character) => entities[character] ?? '');
}

// The style sheet and the script of the bank's page, as text: the sandbox has no files of its own to serve.

// Colours, type and spacing are the element's: checkout/views/README.md.
const bankStyles = `:root {
  color-scheme: light dark;
  --ink: light-dark(#14211e, #e9f1ee); --soft: light-dark(#485652, #a3b5af);
  --page: light-dark(#f2f6f5, #0a1110); --card: light-dark(#fff, #121b19);
  --rule: light-dark(#dfe7e4, #2c3b37); --edge: light-dark(#7c8d87, #748881);
  --accent: light-dark(#0b6b5b, #45cdb0); --on-accent: light-dark(#fff, #04231d);
  font: 400 100%/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
}
* { box-sizing: border-box; margin: 0; padding: 0; }
main { max-width: 47rem; margin: 0 auto; padding: 32px 12px 48px; }
header { padding: 0 clamp(4px, 5vw, 32px); }
h1 { font-size: 1.75rem; line-height: 1.25; letter-spacing: -0.02em; }
h2 { font-size: 1rem; font-weight: 600; margin-bottom: 12px; }
header p, .about, .empty { color: var(--soft); overflow-wrap: anywhere; }
header p { margin-top: 4px; }
.about, .status { font-size: 0.875rem; }
ol { list-style: none; margin: 20px 0; display: grid; gap: 12px; }
ol li, section { background: var(--card); border: 1px solid var(--rule); border-radius: 24px; padding: 20px clamp(16px, 5vw, 32px); }
li p:first-child { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; }
strong { font-size: 1.75rem; line-height: 1.25; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.status { border: 1px solid var(--edge); border-radius: 99px; padding: 0 12px; line-height: 1.75; font-weight: 600; color: var(--soft); }
.paid { color: var(--accent); border-color: currentColor; }
.empty { padding: 48px 0; text-align: center; }
form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
li form { display: grid; grid-template-columns: 1fr 1fr; margin-top: 16px; }
button, select { font: inherit; min-height: 48px; padding: 0 16px; border: 1px solid var(--edge); border-radius: 12px; color: inherit; background: transparent; }
button { font-weight: 600; cursor: pointer; }
li button:first-of-type { grid-column: 1 / -1; }
li button:first-of-type:not(:disabled) { border-color: transparent; color: var(--on-accent); background: var(--accent); }
button:disabled { opacity: 0.45; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
label { flex: 1 0 100%; color: var(--soft); font-size: 0.875rem; }
select { flex: 1; min-width: 0; max-width: 24rem; }
ul { margin: 12px 0 0 20px; }
@media (min-width: 37.5em) {
  li form { grid-template-columns: repeat(5, 1fr); }
  li button:first-of-type { grid-column: auto; }
}
`;

/** Draws the page anew when something has changed, and keeps the focus where it is. Not while a list is open. */
const bankScript = `setInterval(async () => {
  const now = document.querySelector('main');
  const focused = document.activeElement;
  if (focused?.tagName === 'SELECT' || document.hidden) return;
  const answer = await fetch('/sandbox/').catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('main');
  if (next.innerHTML === now.innerHTML) return;
  const chosen = document.querySelector('select').value;
  now.replaceWith(next);
  next.querySelector('select').value = chosen;
  if (focused?.id) document.getElementById(focused.id)?.focus();
}, 1000);
`;

const assets: Readonly<Record<string, readonly [type: string, text: string]>> = {
  'bank.css': ['text/css', bankStyles],
  'bank.js': ['text/javascript', bankScript],
};

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

const bankStyles = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e9eef6); --soft: light-dark(#5a6678, #9aa8bd);
  --page: light-dark(#f4f6f9, #10151d); --card: light-dark(#fff, #19202b);
  --rule: light-dark(#dfe4ec, #2b3544); --accent: light-dark(#0b6b4f, #6fd3ac);
  font: 400 100%/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
}
* { box-sizing: border-box; }
body { margin: 0; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1rem; margin: 0 0 0.75rem; }
header p, .about, .empty { color: var(--soft); margin: 0.25rem 0 0; overflow-wrap: anywhere; }
ol { list-style: none; margin: 1.5rem 0; padding: 0; display: grid; gap: 0.75rem; }
ol li, section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 1rem 1.25rem; }
ol p { margin: 0; }
strong { font-size: 1.25rem; font-variant-numeric: tabular-nums; margin-right: 0.5rem; }
.status { border: 1px solid var(--rule); border-radius: 99px; padding: 0.125rem 0.625rem; font-size: 0.875rem; vertical-align: 2px; }
.paid { color: var(--accent); border-color: currentColor; }
.empty { padding: 3rem 0; text-align: center; }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.75rem; }
section form { margin-top: 0; }
button, select { font: inherit; min-height: 44px; padding: 0 0.75rem; border: 1px solid var(--rule); border-radius: 8px; color: inherit; background: transparent; }
button:first-of-type:not(:disabled) { border-color: var(--accent); color: var(--accent); font-weight: 600; }
button:disabled { opacity: 0.45; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
select { max-width: 100%; }
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

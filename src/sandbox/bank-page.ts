/**
 * The sandbox's page at `/sandbox/`: its invoices, newest first, with a button for each thing that a bank may do. The server
 * renders all of it; each form is one call of the control surface.
 */

import { toFoldStyles, toPageTokens } from '../checkout/element/design-tokens.js';
import { countCharges } from './charges.js';
import { faultKinds, type Fault } from './faults.js';
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

/** Allows nothing from another origin, and no frame around the page. */
const policy = [
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'",
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
].join('; ');

/** How many invoices stand in the list; the older ones are folded. */
const shownAtOnce = 20;

/** What the buttons do. */
const explanations: readonly (readonly [acts: string, text: string])[] = [
  ['Pay', 'The money arrives, and your proxy gets a postback.'],
  ['Refuse, Expire', 'The payment ends without money.'],
  ['Return', 'The money goes back to the payer.'],
  [
    'Postback',
    'Your proxy gets the status once more. After the three above it hears of it only so, or by its next look-up.',
  ],
];

/** The control call of each button, by the button's word. */
const actions: Readonly<Record<string, (id: string) => BankCall>> = {
  Pay: (id) => ({ method: 'POST', path: `invoices/${id}/pay` }),
  Refuse: (id) => toStatus(id, 'refused'),
  Expire: (id) => toStatus(id, 'expired'),
  Return: (id) => toStatus(id, 'refunded'),
  Postback: (id) => ({ method: 'POST', path: `invoices/${id}/postback` }),
};

/**
 * Renders the page or one of its files.
 * @param name of a file; null for the page itself
 * @returns undefined if there is no such file
 */
export function drawBank(name: string | null, bank: Bank): Response | undefined {
  if (name === null) return send('text/html', toPage(bank));
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset && send(...asset);
}

/** Turns a form into a control call. @returns null for an unknown form */
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

/** Makes the response for a page or a file, with headers that forbid anything foreign. */
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
  const rows = invoices.toReversed().map(toRow);
  const older = rows.splice(shownAtOnce).join('');
  const terms = explanations.map(([acts, text]) => `<dt>${acts}</dt><dd>${text}</dd>`).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox bank</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sandbox/bank.css">
<script type="module" src="/sandbox/bank.js"></script>
<main>
  <header>
    <h1>Sandbox bank</h1>
    <p>No money moves here. <span>${invoices.length} ${invoices.length === 1 ? 'invoice' : 'invoices'}, ${moved.count} charged: ${money.format(moved.total_cents / 100)}</span></p>
  </header>
  <aside>
    <details id="explanations"><summary>What the buttons do</summary><dl>${terms}</dl></details>
    ${toFaults(faults)}
  </aside>
  <div class="invoices">
  ${rows.length === 0 ? '<p class="empty">No invoice yet. Make one in your checkout, and it appears here.</p>' : `<ol>${rows.join('')}</ol>`}
  ${older && `<details class="older" id="older"><summary>${invoices.length - shownAtOnce} older</summary><ol>${older}</ol></details>`}
  </div>
</main>
</html>`;
}

/** Renders an invoice: with its buttons while it waits for the bank, afterwards as a line that opens. */
function toRow(invoice: SandboxInvoice): string {
  const { invoiceId, orderCode, isPix, status, request } = invoice;
  const reference = escapeHtml(request.external_id ?? 'no reference');
  const isPaid = invoice.paidAtMs !== null;
  const fitting = Object.keys(actions).filter(
    (act) => act === 'Postback' || (act === 'Return') === isPaid,
  );
  const buttons = fitting.map(
    (act) =>
      `<button name="act" value="${act}" id="${act}-${invoiceId}" aria-label="${act} ${reference}">${act}</button>`,
  );
  const head = `<strong>${money.format(request.total_price_cents / 100)}</strong>
    <span class="status ${status === 'paid' ? 'paid' : ''}">${escapeHtml(status)}</span>
    <small>${reference} · ${isPix ? 'Pix' : 'card'} · ${escapeHtml(orderCode)}</small>`;
  const form = `<form method="post" action="/sandbox/"><input type="hidden" name="invoice_id" value="${invoiceId}">${buttons.join('')}</form>`;
  return status === 'pending'
    ? `<li class="waiting"><p>${head}</p>${form}</li>`
    : `<li><details id="${invoiceId}"><summary>${head}</summary>${form}</details></li>`;
}

/** Renders the form that sets a fault, and the faults that are set. */
function toFaults(faults: readonly Fault[]): string {
  const options = (['create', 'look_up'] as const).map((on) => {
    const kinds = faultKinds.map((kind) => `<option value="${on} ${kind}">${on}: ${kind}</option>`);
    return `<optgroup label="next ${on}">${kinds.join('')}</optgroup>`;
  });
  const due = faults.filter(({ times }) => times !== 0);
  const now = due.map(({ on, kind }) => `<li>${on}: ${kind}</li>`).join('');
  return `<details id="faults"${now === '' ? '' : ' open'}>
    <summary>Faults</summary>
    <form method="post" action="/sandbox/">
      <label for="fault">Spoil the next call of your proxy</label>
      <select name="fault" id="fault">${options.join('')}</select>
      <button name="act" value="Set" id="set">Set</button>
      ${now === '' ? '' : `<button name="act" value="Clear" id="clear">Clear</button>`}
    </form>
    ${now === '' ? '' : `<ul>${now}</ul>`}
  </details>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<"]/g, (character) => entities[character] ?? '');
}

// The style sheet and the script of the bank's page, as text, because the sandbox serves no files.

const bankStyles = `${toPageTokens()}${toFoldStyles()}
* { box-sizing: border-box; margin: 0; padding: 0; }
body { font: 400 var(--pix-font-size)/1.5 var(--pix-font); color: var(--text); background: var(--ground); overflow-wrap: anywhere; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 20px; max-width: calc(var(--pix-max-width) + 24px); margin: 0 auto; padding: 32px 12px 48px; }
header { padding: 0 var(--pix-padding); }
h1 { font-size: var(--title); line-height: 1.25; letter-spacing: -0.02em; }
header p, small, dd, label, .empty { color: var(--muted); }
header p { margin-top: 4px; }
header span { display: inline-block; }
small, dl, .status, label { font-size: var(--small); }
aside, li { background: var(--surface); border: 1px solid var(--line); border-radius: calc(2 * var(--pix-radius)); }
aside { padding: 0 var(--pix-padding); }
aside details + details { border-top: 1px solid var(--line); }
aside details[open] { padding-bottom: 20px; }
ol { list-style: none; display: grid; gap: 12px; }
li { padding: 20px var(--pix-padding); }
li:has(> details) { padding-block: 0; border-radius: var(--pix-radius); }
summary { padding: 8px 0; }
li p, li summary { display: grid; grid-template-columns: auto auto 1fr; align-items: center; gap: 0 12px; }
li summary::after { grid-area: 1 / 4 / 3; }
small { grid-column: 1 / 4; font-weight: 400; }
strong { font-variant-numeric: tabular-nums; }
.waiting strong { font-size: var(--title); line-height: 1.25; letter-spacing: -0.02em; }
.status { padding: 0 10px; line-height: 1.75; font-weight: 600; color: var(--muted); border: 1px solid var(--border); border-radius: 1em; }
.paid { color: var(--pix-color-mark); border-color: currentColor; }
.empty { padding: 48px var(--pix-padding); text-align: center; border: 1px dashed var(--border); border-radius: calc(2 * var(--pix-radius)); }
.older { margin-top: 12px; }
.older > summary { padding-inline: var(--pix-padding); }
form { display: flex; flex-wrap: wrap; gap: 8px; }
li form { margin-top: 16px; }
li details form { margin: 4px 0 20px; }
button, select { font: inherit; min-height: var(--pix-control-height); padding: 0 8px; border: var(--pix-border-width) solid var(--border); border-radius: var(--pix-radius); color: inherit; background: transparent; }
button { flex: 1 0 auto; padding: 0 6px; font-weight: 600; cursor: pointer; }
[value="Pay"] { flex-basis: 100%; }
.waiting [value="Pay"] { border-color: transparent; color: var(--on-accent); background: var(--accent); }
:focus-visible { outline: var(--pix-focus-ring); outline-offset: 2px; }
label { flex: 1 0 100%; }
select { flex: 1 1 14rem; min-width: 0; padding-inline: 12px; background: var(--surface); }
dt { margin-top: 8px; font-weight: 600; }
dt:first-child { margin-top: 0; }
ul { margin: 12px 0 0 20px; }
aside li { padding: 0; background: none; border: 0; }
@media (min-width: 60em) {
  main { grid-template: auto 1fr / minmax(0, 1fr) 20rem; gap: 20px 24px; max-width: 66rem; }
  header { grid-column: 1 / -1; }
  aside { grid-area: 2 / 2; align-self: start; position: sticky; top: 20px; padding: 4px 20px; }
  .invoices { grid-area: 2 / 1; }
  [value="Pay"] { flex-basis: auto; }
}
`;

/**
 * Renders the page again when something has changed, and keeps the focus and the open parts. It waits while a list is open.
 */
const bankScript = `let shown = document.querySelector('main').innerHTML;
document.getElementById('explanations').open = matchMedia('(min-width: 60em)').matches;
setInterval(async () => {
  const now = document.querySelector('main');
  const focused = document.activeElement;
  if (focused?.tagName === 'SELECT' || document.hidden) return;
  const answer = await fetch('/sandbox/').catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('main');
  if (next.innerHTML === shown) return;
  shown = next.innerHTML;
  const chosen = document.querySelector('select').value;
  const folds = [...now.querySelectorAll('details')];
  now.replaceWith(next);
  for (const { id, open } of folds) document.getElementById(id)?.toggleAttribute('open', open);
  next.querySelector('select').value = chosen;
  const fold = document.getElementById(focused?.parentElement?.id);
  (document.getElementById(focused?.id) ?? fold?.querySelector('summary'))?.focus();
}, 1000);
`;

const assets: Readonly<Record<string, readonly [type: string, text: string]>> = {
  'bank.css': ['text/css', bankStyles],
  'bank.js': ['text/javascript', bankScript],
};

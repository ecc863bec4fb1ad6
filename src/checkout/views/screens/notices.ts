/** The screens that say one thing: a sign, a sentence as heading, and what belongs under it. None shows a code. */

import { html, nothing } from 'lit';
import { formatMoment, formatMoney } from '../../locales/choose-messages.js';
import type { ConfirmingState, ExpiredState, FailedState, PaidState } from '../../machine/state.js';
import { confirmingText, isMismatch } from '../announce.js';
import type { Actions, Model } from '../model.js';
import { renderPrimary, renderSecondary } from '../parts/field.js';
import { errorText, renderError, alertIcon, checkIcon, clockIcon } from '../parts/error.js';
import { renderReference, renderTotal } from '../parts/head.js';

/** The parts of a notice. */
interface Notice {
  /** Name for `::part()`, where the screen has one. */
  readonly part?: 'receipt' | 'error' | undefined;
  readonly sign: unknown;
  /** The first sentence is the heading, the others stand under it. */
  readonly message: string;
  readonly body: unknown;
  /** The page's slot under the text; by default its help. */
  readonly slot?: 'paid';
  /** Stands behind the slot. */
  readonly end?: unknown;
}

/** The heading can take the focus: the element puts it there when a screen follows another. */
function renderNotice({ part, sign, message, body, slot, end: last }: Notice) {
  const end = message.indexOf('. ') + 1 || message.length;
  return html`<div class="notice" part=${part ?? nothing}>
    <span class="sign ${slot ?? ''}">${sign}</span>
    <h2 part="heading" id="title" tabindex="-1">${message.slice(0, end)}</h2>
    ${message[end] ? html`<p>${message.slice(end)}</p>` : nothing} ${body}
    <slot name=${slot ?? 'support'}></slot>
    ${last}
  </div>`;
}

/** The payment may have happened, and no look-up has confirmed it. Never offers a way to pay. */
export function renderConfirming(model: Model, state: ConfirmingState) {
  const { error } = state;
  const { texts, totalCents, externalId } = model;
  const isPaid = error?.code === 'order_paid';
  const isWrong = isMismatch(state);
  const isOpen = !isPaid && !isWrong;
  const amount = !isPaid && totalCents !== null ? formatMoney(totalCents) : null;
  return renderNotice({
    part: isWrong ? 'error' : undefined,
    sign: isPaid ? checkIcon : isOpen ? clockIcon : alertIcon,
    // The rows name the order.
    message: confirmingText(model, state, ''),
    body: html`${renderRows([
      [isWrong ? texts.orderAmount : texts.amount, amount],
      [texts.reference, externalId],
    ])}
    ${isOpen ? html`<p class="muted">${texts.confirmingNote}</p>` : nothing}
    ${renderError(model, error)}`,
  });
}

/** The merchant's deadline passed. The code is gone from the screen and still watched; the payer may ask for another. */
export function renderExpired(model: Model, { error }: ExpiredState, actions: Actions) {
  const { texts } = model;
  return renderNotice({
    sign: clockIcon,
    message: texts.expired,
    body: html`${renderReference(model)} ${renderError(model, error)}
    ${renderPrimary(texts.newCode, actions.newCode)}`,
  });
}

/** Errors of an outdated page, or of an invoice that did not come: beginning anew helps. */
const outdated = ['amount_mismatch', 'unauthorized', 'network'];

/** The merchant can help, or to begin anew, or the order is paid already. */
export function renderFailed(model: Model, state: FailedState, actions: Actions) {
  const { error, totalCents } = state;
  const { texts } = model;
  const isPaid = error.code === 'order_paid';
  const again = totalCents ? texts.pay(formatMoney(totalCents)) : texts.reload;
  return renderNotice({
    part: isPaid ? undefined : 'error',
    sign: isPaid ? checkIcon : alertIcon,
    message: errorText(model, error),
    body: html`${renderReference(model)}
    ${outdated.includes(error.code) ? renderPrimary(again, () => actions.startOver(totalCents)) : nothing}`,
  });
}

/** This page's receipt, not the bank's: no payer data, and no promise that the payment is final. */
export function renderReceipt(
  { texts, locale, cardUsed }: Model,
  { invoice, paidAt, returned }: PaidState,
) {
  const isPix = invoice.method === 'pix';
  const amount = formatMoney(invoice.totalCents);
  const rows: Rows = [
    [texts.method, isPix ? texts.pix : (cardUsed ?? texts.card)],
    [texts.reference, invoice.externalId],
    [texts.orderCode, invoice.orderCode],
    [texts.confirmedAt, returned ? null : formatMoment(paidAt, locale)],
  ];
  const sums = html`${renderTotal(invoice.totalCents)} ${renderRows(rows)}`;
  if (returned) {
    const body = html`${sums}
      <p>${texts.returnedNote}</p>`;
    return renderNotice({ part: 'receipt', sign: alertIcon, message: texts.returned, body });
  }
  return renderNotice({
    part: 'receipt',
    sign: checkIcon,
    // The amount follows in the next row.
    message: texts.paid(amount).replace(/\. .*/, '.'),
    slot: 'paid',
    body: html`${sums} ${isPix ? html`<p class="muted">${texts.receiptNote}</p>` : nothing}`,
    end: html`${
      'share' in navigator
        ? renderSecondary(texts.share, () => share(texts.paid(amount), rows), { where: 'share' })
        : nothing
    }
    ${renderSecondary(texts.print, () => window.print(), { where: 'print' })}`,
  });
}

/** A payer who changes their mind is no failure. */
function share(title: string, rows: Rows): void {
  const known = rows.filter(([, value]) => value).map((row) => row.join(': '));
  navigator.share({ text: [title, ...known].join('\n') }).catch(() => undefined);
}

type Rows = readonly (readonly [term: string, value: string | null])[];

/** Leaves out rows without a value. */
function renderRows(rows: Rows) {
  return html`<dl>
    ${rows.map(([term, value]) =>
      value
        ? html`<div>
            <dt>${term}</dt>
            <dd translate="no">${value}</dd>
          </div>`
        : nothing,
    )}
  </dl>`;
}

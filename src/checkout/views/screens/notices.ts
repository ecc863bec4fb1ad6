/** The screens with a single message: a sign, a sentence as heading, and what belongs under it. None shows a code. */

import { html, nothing } from 'lit';
import {
  formatDeadline,
  formatMoment,
  formatMoney,
  splitFirstSentence,
} from '../../locales/choose-messages.js';
import { isCardPending } from '../../machine/state.js';
import type { ConfirmingState, FailedState, PaidState } from '../../machine/state.js';
import { confirmingText, isMismatch, statusText } from '../announce.js';
import type { Actions, ExpiredScreen, Model } from '../model.js';
import { renderPrimary, renderSecondary } from '../parts/field.js';
import { errorText, renderError, alertIcon, checkIcon, clockIcon, ring } from '../parts/error.js';
import { renderReference, renderTotal } from '../parts/head.js';

/** The parts of a notice. */
interface Notice {
  /** The name for `::part()`, if the screen has one. */
  readonly part?: 'receipt' | 'error' | undefined;
  readonly sign: unknown;
  /** The first sentence is the heading, the others stand under it. */
  readonly message: string;
  readonly body: unknown;
  /** The page's slot under the text; by default the one for its help. */
  readonly slot?: 'paid';
  /** What stands after the slot. */
  readonly end?: unknown;
}

/** Renders a notice. Its heading can take the focus, which the element moves there when a screen follows another. */
function renderNotice({ part, sign, message, body, slot, end: last }: Notice) {
  const [first, rest] = splitFirstSentence(message);
  return html`<div class="notice" part=${part ?? nothing}>
    <span class="sign ${slot ?? ''}">${sign}</span>
    <h2 part="heading" id="title" tabindex="-1" .textContent=${first}></h2>
    ${rest ? html`<p>${rest}</p>` : nothing} ${body}
    <slot name=${slot ?? 'support'}></slot>
    ${last}
  </div>`;
}

/** Says that the payment may have happened and no look-up has confirmed it. Never offers a way to pay. */
export function renderConfirming(model: Model, state: ConfirmingState) {
  const { error } = state;
  const { texts, locale, cardUsed, totalCents, externalId, epochMs, sinceMs, offline } = model;
  const isPaid = error?.code === 'order_paid';
  const isWrong = isMismatch(state);
  const isOpen = !isPaid && !isWrong;
  // The rows name the order.
  const known = confirmingText(model, state, '');
  const since = texts.confirmingSince(formatDeadline(new Date(epochMs + sinceMs), 0, locale));
  // Another page of the order may pay by another method.
  const isKnown = isOpen && state.attempt?.standing !== 'contended_pix';
  const method = isCardPending(state) ? (cardUsed ?? texts.card) : texts.pix;
  return renderNotice({
    part: isWrong ? 'error' : undefined,
    sign: isPaid ? checkIcon : isWrong ? alertIcon : offline ? clockIcon : ring,
    message: known,
    body: html`${isOpen && totalCents !== null ? renderTotal(totalCents) : nothing}
    ${renderRows([
      [texts.orderAmount, isWrong && totalCents !== null ? formatMoney(totalCents) : null],
      [texts.method, isKnown ? method : null],
      [texts.reference, externalId],
    ])}
    ${isOpen ? html`<p class="muted">${offline ? texts.offline : html`${since} <br />${texts.confirmingNote}`}</p>` : nothing}
    ${renderError(model, error)}`,
  });
}

/**
 * Says that the merchant's deadline passed. The code is gone from the screen but still watched; the payer may say that it is
 * paid, or ask for another. The answer takes the place of the text above the button that was pressed.
 */
export function renderExpired(model: Model, state: ExpiredScreen, actions: Actions) {
  const { texts, offers, totalCents } = model;
  const { error, check } = state;
  const status = statusText(model, state);
  const isChecking = check !== 'none' && status === texts.checking;
  const [message, rest] = splitFirstSentence(texts.expired);
  const [answer, advice] = splitFirstSentence(status);
  const news = check !== 'none' && !isChecking ? html`<b>${answer}</b> ${advice}` : rest;
  return renderNotice({
    sign: clockIcon,
    message,
    body: html`<div>
        ${totalCents === null ? nothing : renderTotal(totalCents)}${renderReference(model)}
      </div>
      ${news ? html`<p>${news}</p>` : nothing}
      <button class="link" type="button" @click=${actions.checkNow}>
        ${isChecking ? texts.checking : texts.alreadyPaid}
      </button>
      ${renderError(model, error)} ${renderPrimary(texts.newCode, actions.newCode)}
      ${offers[1] ? renderSecondary(texts.cardTitle, () => actions.chooseMethod('credit_card')) : nothing}`,
  });
}

/** Errors of an outdated page, or of an invoice that did not come. Starting again helps. */
const outdated = ['amount_mismatch', 'unauthorized', 'network'];

/** Says that only the merchant can help, that starting again helps, or that the order is already paid. */
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

/** Renders this page's receipt, not the bank's: it has no payer data, and does not promise that the payment is final. */
export function renderReceipt(
  { texts, locale, cardUsed, receiverName }: Model,
  { invoice, paidAt, returned }: PaidState,
) {
  const isPix = invoice.method === 'pix';
  const amount = formatMoney(invoice.totalCents);
  const rows: Rows = [
    [texts.receiver, receiverName],
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
    message: splitFirstSentence(texts.paid(amount))[0],
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

/** Offers the receipt to the device's share sheet. It is no failure if the payer cancels. */
function share(title: string, rows: Rows): void {
  const known = rows.filter(([, value]) => value).map((row) => row.join(': '));
  navigator.share({ text: [title, ...known].join('\n') }).catch(() => undefined);
}

type Rows = readonly (readonly [term: string, value: string | null])[];

/** Renders the rows that have a value. */
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

/** The receipt of this page: what was paid and when it was confirmed. No bank's receipt, no payer data, no finality. */

import { html, nothing } from 'lit';
import { formatMoment, formatMoney } from '../../locales/format.js';
import type { PaidState } from '../../machine/state.js';
import type { Model } from '../model.js';
import { checkIcon } from '../parts/icons.js';
import { renderNotice } from '../parts/notice.js';

/** Ends with the page's own `paid` slot. */
export function renderReceipt({ texts, locale }: Model, { invoice, paidAt }: PaidState) {
  const amount = formatMoney(invoice.totalCents);
  const rows = [
    [texts.amount, amount],
    [texts.method, invoice.method === 'pix' ? texts.pix : texts.card],
    [texts.reference, invoice.externalId],
    [texts.orderCode, invoice.orderCode],
    [texts.confirmedAt, formatMoment(paidAt, locale)],
  ];
  return renderNotice({
    part: 'receipt',
    sign: checkIcon,
    message: texts.paid(amount),
    body: html`<dl>
        ${rows.map(([term, value]) =>
          value
            ? html`<div>
                <dt>${term}</dt>
                <dd translate="no">${value}</dd>
              </div>`
            : nothing,
        )}
      </dl>
      <p class="muted">${texts.receiptNote}</p>
      <slot name="paid"></slot>`,
  });
}

/** The choice of instalments: a native select, each line with the price of one instalment and of all of them. */

import type { InstallmentOffer } from '../../../domain/card/installments.js';
import type { CardTools } from '../card-file-contract.js';
import type { CardWords } from '../../locales/outside-element/pt-br.js';

/** The values that the choice shows. */
interface InstallmentsModel {
  readonly installments: readonly InstallmentOffer[];
  readonly atOnceCents: number | null;
  readonly choice: InstallmentOffer | null;
  readonly texts: CardWords;
}

/** One row of the table in words. */
export function describeOffer(
  { installment, eachCents, totalCents, interestFree }: InstallmentOffer,
  texts: CardWords,
  { formatMoney }: Pick<CardTools, 'formatMoney'>,
): string {
  const total = formatMoney(totalCents);
  return installment === 1
    ? texts.atOnce(total)
    : texts.inParts(installment, formatMoney(eachCents), total, interestFree);
}

/** Renders the choice of instalments. A single row is shown as text, and without a table there is nothing. */
export function renderInstallments(
  { installments, atOnceCents, choice, texts }: InstallmentsModel,
  actions: { choose(installment: number): void },
  { html, nothing, formatMoney }: CardTools,
) {
  if (!choice) return nothing;
  const line = (offer: InstallmentOffer) => describeOffer(offer, texts, { formatMoney });
  if (installments.length === 1) return html`<p class="field" translate="no">${line(choice)}</p>`;
  const choose = (event: Event) => {
    const { selectedIndex } = event.target as HTMLSelectElement;
    actions.choose(installments[selectedIndex]?.installment ?? choice.installment);
  };
  // The choice is set on the options, because when Lit sets the select's own value, its options are not there yet.
  return html`<div class="field">
    <label part="label" for="card_installments">${texts.installments}</label>
    <div class="pick">
      <select
        part="input"
        id="card_installments"
        autocomplete="off"
        aria-describedby="card_installments-hint"
        @input=${choose}
        @change=${choose}
      >
        ${installments.map(
          (offer) =>
            html`<option translate="no" .selected=${offer === choice}>${line(offer)}</option>`,
        )}
      </select>
    </div>
    <p class="hint" id="card_installments-hint" translate="no">
      ${
        choice.interestFree || choice.totalCents <= (atOnceCents ?? 0)
          ? nothing
          : texts.withInterest(formatMoney(choice.totalCents))
      }
    </p>
  </div>`;
}

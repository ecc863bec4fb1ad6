/** A throw-away element around the card form: the checkout's styles, one native form, one button. No checkout is run. */

import { LitElement, html, nothing } from 'lit';
import type { CardFormModel } from '../../src/checkout/card/card-file-contract.js';
import { createCardForm } from '../../src/checkout/card/card-file-entry.js';
import { parseInstallments } from '../../src/domain/card/installments.js';
import { formatMoney } from '../../src/checkout/locales/choose-messages.js';
import { styles } from '../../src/checkout/element/pix-checkout.styles.js';

/** A merchant's table: at once, without interest, with it. */
export const table = [
  { installment: 1, total_cents: 13_990, interest_free: true },
  { installment: 2, total_cents: 13_990, interest_free: true },
  { installment: 3, total_cents: 13_990, interest_free: true },
  { installment: 6, total_cents: 15_120 },
  { installment: 12, total_cents: 16_788 },
];

/** What the card form is given, with the merchant's table as a page writes it. */
export type CardGalleryModel = Omit<CardFormModel, 'installments'> & {
  readonly installments: unknown;
};

export class CardGallery extends LitElement {
  static override readonly styles = styles;
  static override readonly properties = { model: { attribute: false } };
  declare model: CardGalleryModel;

  /** The month in which every card of the tests is still good. */
  today = { year: 2026, month: 11 };

  /** What the merchant's developer was told. */
  readonly warned: string[] = [];

  /** The cards that were read at each submit without a fault. */
  readonly read: unknown[] = [];

  readonly form = createCardForm({
    html,
    nothing,
    formatMoney,
    requestUpdate: () => this.requestUpdate(),
    wallClock: () => new Date(this.today.year, this.today.month - 1),
    warn: (text) => this.warned.push(text),
    setTimer: (run, delayMs) => setTimeout(run, delayMs),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  });

  constructor() {
    super();
    const page = { installments: table, atOnceCents: null, acceptedBrands: null, slotted: false };
    this.model = { locale: 'pt-BR', ...page };
  }

  protected override render(): unknown {
    const { choice } = this.form;
    const { offers: installments } = parseInstallments(this.model.installments);
    return html`<section class="checkout form" lang=${this.model.locale} aria-labelledby="title">
      <h2 id="title">Pagar com cartão</h2>
      <form part="form" novalidate @submit=${this.#submit}>
        <fieldset>${this.form.render({ ...this.model, installments })}</fieldset>
        <button part="submit-button" class="primary">
          Pagar ${formatMoney(choice?.totalCents ?? 13_990)}
        </button>
      </form>
    </section>`;
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    const faulty = this.form.check();
    if (faulty === null) this.read.push(this.form.read());
    else
      void this.updateComplete.then(() =>
        this.renderRoot.querySelector<HTMLElement>(`#${faulty}`)?.focus(),
      );
  };
}

customElements.define('card-gallery', CardGallery);

/** Draws one frame: the checkout's views and styles around a fixed model, and the card form where a card is shown. */

import { LitElement, css, html, nothing } from 'lit';
import { createCardForm } from '../../src/checkout/card/card-file-entry.js';
import type { CardForm } from '../../src/checkout/card/card-file-contract.js';
import { formatMoney } from '../../src/checkout/locales/choose-messages.js';
import { styles } from '../../src/checkout/element/pix-checkout.styles.js';
import { isCodeGone } from '../../src/checkout/views/parts/error.js';
import { renderCheckout } from '../../src/checkout/views/checkout.js';
import type { Actions, Model } from '../../src/checkout/views/model.js';
import { table } from './card-gallery.js';
import { parseInstallments } from '../../src/domain/card/installments.js';
import type { Frame } from './frames.js';
import { sceneFor } from './more-scenes.js';
import { withLongContent } from './scenes.js';
import type { CardScene } from './scenes.js';

/** The day on which the gallery was hung. */
const today = new Date(2026, 10, 21, 14, 0);

/** A larger text as the payer's browser makes it: the root's. Nothing moves, so that a picture is the same each time. */
const looks = css`
  :host([text='150']) .checkout {
    font-size: 24px;
  }
  :host([text='200']) .checkout {
    font-size: 32px;
  }
  *,
  *::before {
    animation: none !important;
    transition: none !important;
    caret-color: transparent !important;
  }
`;

/** A picture does nothing, whatever is pressed in it. */
const actions = new Proxy({} as Actions, {
  get: () => (event: unknown) => {
    if (event instanceof Event) event.preventDefault();
  },
});

/** `<gallery-frame>` with a {@link Frame}. */
class GalleryFrame extends LitElement {
  static override readonly styles = [styles, looks];
  static override readonly properties = { frame: { attribute: false } };
  declare frame: Frame | null;

  #form: CardForm | null = null;

  constructor() {
    super();
    this.frame = null;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const { frame } = this;
    if (!frame || !changed.has('frame')) return;
    const scene = sceneFor(frame.id);
    this.setAttribute('text', frame.text);
    this.#form = scene.card && !scene.card.file ? this.#createForm() : null;
  }

  protected override render(): unknown {
    const { frame } = this;
    if (!frame) return nothing;
    const { model, card } = sceneFor(frame.id);
    const usual = model(frame.locale);
    const shown = frame.content === 'long' ? withLongContent(usual) : usual;
    const wide = Number(frame.width) > 700 && matchMedia('not all and (pointer: coarse)').matches;
    const panel = card ? this.#renderCard(card, shown) : null;
    const copyKeys = wide ? 'Ctrl+C' : shown.copyKeys;
    return renderCheckout({ ...shown, wide, copyKeys, card: panel }, actions);
  }

  protected override firstUpdated(): void {
    const card = this.frame && sceneFor(this.frame.id).card;
    if (card?.typed) this.#type(card.typed);
    if (card?.checked) this.#form?.check();
  }

  /** So many regions of one name are no landmarks. In a picture it is what it is on a page. */
  protected override updated(): void {
    if ('still' in document.documentElement.dataset) return;
    this.renderRoot.querySelector('section')?.setAttribute('role', 'group');
  }

  #renderCard({ file, slotted = false, acceptedBrands }: CardScene, { locale, state }: Model) {
    const model = {
      locale,
      slotted,
      installments: parseInstallments(table).offers,
      atOnceCents: null,
      acceptedBrands: acceptedBrands ?? null,
      codeAgain: state.phase === 'form' && isCodeGone(state.error),
    } as const;
    const [content = null, assurance] = [this.#form?.render(model), this.#form?.assure(model)];
    return { content, failed: file === 'missing', slotted, assurance, faults: this.#form?.faults };
  }

  /** As a payer types it: the form formats it, and names the brand. */
  #type(typed: Readonly<Record<string, string>>): void {
    const usual = { card_name: 'MARIA DA SILVA', card_expiry: '12/39' };
    for (const [id, value] of Object.entries({ ...usual, ...typed })) {
      const control = this.renderRoot.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`);
      if (control instanceof HTMLSelectElement) {
        control.selectedIndex = [...control.options].findIndex(({ label }) =>
          label.startsWith(value),
        );
        control.dispatchEvent(new Event('change'));
      } else if (control) {
        control.value = value;
        control.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    }
  }

  #createForm(): CardForm {
    return createCardForm({
      html,
      nothing,
      formatMoney,
      requestUpdate: () => this.requestUpdate(),
      wallClock: () => today,
      warn: () => undefined,
      // Nothing comes later: a picture is taken of what is there.
      setTimer: () => 0,
      clearTimer: () => undefined,
    });
  }
}

// What a phone offers on a receipt is shown by every browser here.
if (!('share' in navigator)) Object.assign(navigator, { share: async () => undefined });

customElements.define('gallery-frame', GalleryFrame);
export type { GalleryFrame };

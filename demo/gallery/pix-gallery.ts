/** A throw-away element that renders one model with the checkout's views and styles, and notes what is asked for. */

import { LitElement } from 'lit';
import type { Actions, Model } from '../../src/checkout/views/model.js';
import { styles } from '../../src/checkout/element/pix-checkout.styles.js';
import { renderCheckout } from '../../src/checkout/views/checkout.js';

export class PixGallery extends LitElement {
  static override readonly styles = styles;
  static override readonly properties = { model: { attribute: false } };
  declare model: Model | null;

  /** Names of the actions the views asked for, with their arguments. */
  readonly asked: unknown[][] = [];

  constructor() {
    super();
    this.model = null;
  }

  protected override render(): unknown {
    return this.model && renderCheckout(this.model, this.#actions);
  }

  readonly #actions = new Proxy({} as Actions, {
    get:
      (_, name) =>
      (...given: unknown[]): void => {
        for (const one of given) if (one instanceof Event) one.preventDefault();
        this.asked.push([name, ...given]);
      },
  });
}

customElements.define('pix-gallery', PixGallery);

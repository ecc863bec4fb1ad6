import { afterNextRender, Component, CUSTOM_ELEMENTS_SCHEMA, Input, signal } from '@angular/core';
import type { Order } from './order.js';
import { everything, tell } from './everything.js';

const bindings = Object.keys(everything).map((name) => `[${name}]="values()['${name}']"`);
const names = ['ready', 'submit', 'created', 'status', 'copy', 'paid', 'expired', 'error'];
const handlers = names.map((name) => `(pix-${name})="tell($event)"`);

@Component({
  selector: 'shop-everything',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    @if (isShown()) {
      <pix-checkout
        class="box"
        endpoint="/pix"
        [attr.external-id]="order.externalId"
        [attr.order-token]="values()['orderToken'] ?? order.orderToken"
        ${bindings.join(' ')}
        ${handlers.join(' ')}
      ></pix-checkout>
    }
  `,
})
export class Everything {
  @Input({ required: true }) order!: Order;
  values = signal<Record<string, unknown>>(everything);
  isShown = signal(true);
  tell = tell;

  constructor() {
    afterNextRender(() => {
      Object.assign(globalThis, {
        shop: {
          change: (next: object) => this.values.set({ ...everything, ...next }),
          show: (next: boolean) => this.isShown.set(next),
        },
      });
      return import('pix-checkout');
    });
  }
}

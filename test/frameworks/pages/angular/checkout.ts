import { afterNextRender, Component, CUSTOM_ELEMENTS_SCHEMA, Input, signal } from '@angular/core';
import type { Order } from './order.js';

@Component({
  selector: 'shop-checkout',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    @if (paid()) {
      <h1>Obrigado! Pedido {{ paid() }} pago.</h1>
    } @else {
      <pix-checkout
        endpoint="/pix"
        [attr.external-id]="order.externalId"
        [attr.order-token]="order.orderToken"
        [attr.total-price-cents]="order.totalCents"
        [items]="order.items"
        (pix-paid)="paid.set($event.detail.externalId)"
      >
        <a [href]="'/orders/' + order.externalId + '/boleto'">Pagar de outro jeito</a>
      </pix-checkout>
    }
  `,
})
export class Checkout {
  @Input({ required: true }) order!: Order;
  paid = signal<string | null>(null);
  constructor() {
    afterNextRender(() => import('pix-checkout'));
  }
}

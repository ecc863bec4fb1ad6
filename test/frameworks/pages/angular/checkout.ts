import { Component, Input, signal } from '@angular/core';
import type { Order } from './order.js';
import { PixCheckoutTag } from './pix-checkout-tag.js';

@Component({
  selector: 'shop-checkout',
  imports: [PixCheckoutTag],
  template: `
    @if (paid()) {
      <h1>Obrigado! Pedido {{ paid() }} pago.</h1>
    } @else {
      <pix-checkout [order]="order" (pixPaid)="paid.set($event.detail.externalId)">
        <a [href]="'/orders/' + order.externalId + '/boleto'">Pagar de outro jeito</a>
      </pix-checkout>
    }
  `,
})
export class Checkout {
  @Input({ required: true }) order!: Order;
  paid = signal<string | null>(null);
}

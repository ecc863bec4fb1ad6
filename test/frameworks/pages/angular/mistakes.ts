/** What the compiler refuses, one mistake a line of its template. */
import { Component } from '@angular/core';
import type { Order } from './order.js';
import { PixCheckoutTag } from './pix-checkout-tag.js';

@Component({
  selector: 'shop-mistakes',
  imports: [PixCheckoutTag],
  template: `<pix-checkout />
    <pix-checkout [order]="order" [external-id]="order.externalId" />
    <pix-checkout [order]="order" (pixPaid)="hear($event.detail.reference)" />
    <pix-checkout [order]="order.items" />`,
})
export class Mistakes {
  order!: Order;
  hear = (text: string) => text.trim();
}

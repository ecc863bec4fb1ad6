import { afterNextRender, Component, ElementRef, inject } from '@angular/core';
import { EventEmitter, Input, Output } from '@angular/core';
import type { PixCheckout, PixPaidEvent } from 'pix-checkout';
import type { Order } from './order.js';

@Component({
  selector: 'pix-checkout',
  template: '<ng-content />',
  host: {
    endpoint: '/pix',
    '[attr.external-id]': 'order.externalId',
    '[attr.order-token]': 'order.orderToken',
    '[attr.total-price-cents]': 'order.totalCents',
    '(pix-paid)': 'pixPaid.emit($event)',
  },
})
export class PixCheckoutTag {
  @Input({ required: true }) order!: Order;
  @Output() pixPaid = new EventEmitter<PixPaidEvent>();
  element = inject<ElementRef<PixCheckout>>(ElementRef).nativeElement;
  constructor() {
    afterNextRender(() => import('pix-checkout'));
  }
  ngOnChanges() {
    this.element.items = this.order.items;
  }
}

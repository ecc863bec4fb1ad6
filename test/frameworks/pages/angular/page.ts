import { Component, inject, InjectionToken, provideZonelessChangeDetection } from '@angular/core';
import { provideClientHydration } from '@angular/platform-browser';
import { Checkout } from './checkout.js';
import { Everything } from './everything-page.js';
import type { Order } from './order.js';

/** What the test renders. */
export interface Given {
  readonly view: string;
  readonly order: Order;
}

const given = new InjectionToken<Given>('given');

@Component({
  selector: 'shop-page',
  imports: [Checkout, Everything],
  template: `
    @if (given.view === 'checkout') {
      <shop-checkout [order]="given.order" />
    } @else {
      <shop-everything [order]="given.order" />
    }
  `,
})
export class Page {
  given = inject(given);
}

export const configOf = (value: Given) => ({
  providers: [
    provideZonelessChangeDetection(),
    provideClientHydration(),
    { provide: given, useValue: value },
  ],
});

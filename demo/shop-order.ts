/** An order as the demo's server gives it to its pages. Types only. */

import type { Item, Line } from '../src/index.js';
import type { InstallmentRow } from './shop.js';

/** The shop's answer to `GET /orders/{reference}`. Amounts in integer cents. */
export interface ShopOrder {
  readonly externalId: string;
  readonly orderToken: string;
  readonly totalCents: number;
  readonly pixTotalCents: number | null;
  /** What the order costs by card, in each number of instalments that the shop offers. */
  readonly installments: readonly InstallmentRow[];
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
}

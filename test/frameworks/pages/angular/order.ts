import type { Item } from 'pix-checkout';

/** What the page knows of an order. */
export interface Order {
  readonly externalId: string;
  readonly orderToken: string;
  readonly totalCents: number;
  readonly items: readonly Item[];
}

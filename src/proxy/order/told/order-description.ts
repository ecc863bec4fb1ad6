/** What support is told of an order. Types only. */

/** One thing that happened. Amounts are integer cents, times ISO 8601. */
export interface OrderEntry {
  readonly at: string;
  /**
   * `sent`: a creation left. `attempt`: a request with an idempotency key, with its `state`. `invoice`: the service made one.
   * `paid`, `refused`, `released`, `expired`: what a look-up or a person found. `named`: a postback named an id that still
   * waits for its look-up. `event`: your server's hook, with its `tries` and its `outcome` (null: not through).
   */
  readonly what:
    | ('sent' | 'attempt' | 'invoice' | 'named' | 'event')
    | ('paid' | 'refused' | 'released' | 'expired');
  readonly [detail: string]: string | number | boolean | null;
}

/** An alert that waits for a person's word (`resolveOutcome`). */
export interface OpenAlert {
  /** `onOutcomeUnknown`: a card may be charged. `onMismatch`: what is paid is not what was created. */
  readonly hook: 'onOutcomeUnknown' | 'onMismatch';
  /** What the word names. */
  readonly deliveryId: string;
  /** Integer cents. */
  readonly totalCents: number;
  /** The invoice, where one is known. */
  readonly invoiceId?: string;
}

/** What happened to an order. */
export interface OrderDescription {
  readonly externalId: string;
  /** Oldest first. */
  readonly entries: readonly OrderEntry[];
  /** A sentence for support, such as `the payment of code A1B2, until 2026-01-31T12:00:00.000Z`. */
  readonly waitsFor: string;
  /** What a person has to find out, the oldest first. Empty: nothing. */
  readonly alerts: readonly OpenAlert[];
  /** What is not kept as long as this order exists. */
  readonly forgotten: string | null;
}

/** The values of the element's properties as a page gives them; `order.ts` reads them. */

/** The element's public properties, as untrusted as a page can make them. */
export interface PageWords {
  readonly endpoint: unknown;
  readonly externalId: unknown;
  readonly orderToken: unknown;
  readonly totalPriceCents: unknown;
  readonly pixTotalPriceCents: unknown;
  readonly methods: unknown;
  readonly method: unknown;
  readonly payerFields: unknown;
  readonly payer: unknown;
  readonly expiresIn: unknown;
  readonly pollInterval: unknown;
  readonly receiverName: unknown;
  readonly allowUnverifiedCode: unknown;
  readonly acceptRawCard: unknown;
  readonly tokenizeCard: unknown;
  readonly items: unknown;
  readonly lines: unknown;
}

/** A page that says nothing. */
export const silentPage: PageWords = {
  endpoint: null,
  externalId: null,
  orderToken: null,
  totalPriceCents: null,
  pixTotalPriceCents: null,
  methods: null,
  method: null,
  payerFields: null,
  payer: null,
  expiresIn: null,
  pollInterval: null,
  receiverName: null,
  allowUnverifiedCode: false,
  acceptRawCard: false,
  tokenizeCard: null,
  items: null,
  lines: null,
};

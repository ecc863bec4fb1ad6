/** The values of the element's properties as a page gives them; `order.ts` reads them. */

/** A page that says nothing. */
export const silentPage = {
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

/** The element's public properties, as untrusted as a page can make them. */
export type PageWords = Readonly<Record<keyof typeof silentPage, unknown>>;

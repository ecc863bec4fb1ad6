/**
 * Why an order token is refused. Apart from the options, which need types of zod: the types of `pix-checkout/order-token`
 * need none.
 */
export type OrderTokenFault =
  'missing' | 'unreadable' | 'expired' | 'other_order' | 'other_secret_or_address';

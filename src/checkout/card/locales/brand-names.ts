/** Brands as people call them, in every language; short, because they stand beside a label on a narrow phone. */

import type { CardBrand } from '../../../domain/card/card-brand.js';

export const brandNames: Readonly<Record<CardBrand, string>> = {
  elo: 'Elo',
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'Amex',
  diners: 'Diners',
  discover: 'Discover',
  jcb: 'JCB',
  hipercard: 'Hipercard',
  hiper: 'Hiper',
};

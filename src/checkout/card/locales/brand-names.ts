/** Brands as they call themselves, in every language. */

import type { CardBrand } from '../../../domain/card-brand.js';

export const brandNames: Readonly<Record<CardBrand, string>> = {
  elo: 'Elo',
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  hipercard: 'Hipercard',
  hiper: 'Hiper',
};

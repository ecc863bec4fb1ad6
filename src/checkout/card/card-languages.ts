/** The languages of the card form. If a language of the element is missing here, the type check fails. */

import type { CardBrand } from '../../domain/card/card-brand.js';
import { card as en } from '../locales/outside-element/en.js';
import { card as es } from '../locales/outside-element/es.js';
import { card as ptBr } from '../locales/outside-element/pt-br.js';

/** One line per language. */
export const cardLanguages = { 'pt-BR': ptBr, en, es };

export type CardLocale = keyof typeof cardLanguages;

/** Brands as people call them, in every language. They are short, because they stand beside a label on a narrow phone. */
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

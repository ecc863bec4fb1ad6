/** What the page said about paying by card, read: table and brands in, offers and brands out. Knows no form. */

import { parseAcceptedBrands } from '../../domain/card/card-brand.js';
import type { CardBrand } from '../../domain/card/card-brand.js';
import { parseInstallments } from '../../domain/card/installments.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { CardFormModel } from './card-file-contract.js';

/** The page's words as the form works with them. */
export interface PageWords {
  /** Fewest first; empty: there is nothing to choose. */
  readonly offers: readonly InstallmentOffer[];
  /** `null`: every card. */
  readonly accepted: readonly CardBrand[] | null;
}

/** @param warn is told of everything that is left out, by its public name */
export function readPageWords(
  { installments, acceptedBrands }: Pick<CardFormModel, 'installments' | 'acceptedBrands'>,
  warn: (text: string) => void,
): PageWords {
  const { offers, faults } = parseInstallments(installments);
  for (const fault of faults) warn(`${fault} is not as the documentation says; it is left out`);
  if (typeof acceptedBrands !== 'string') return { offers, accepted: null };
  const { accepted, unknown } = parseAcceptedBrands(acceptedBrands);
  for (const word of unknown) warn(`accepted-brands does not know "${word}"`);
  return { offers, accepted };
}

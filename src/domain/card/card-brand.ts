/**
 * Finds the brand of a card by its first digits, and the rules that depend on it. The brand is only a hint: a card of unknown
 * brand can be paid with as well.
 *
 * The table is our own and not `credit-card-type` (10.3.0): 1 kB instead of 2.9 (gzip), and without the brands that no
 * Brazilian shop takes, whose ranges overlap with the ranges of usable cards. The ranges are that library's, except for an
 * old one of Hipercard, and a test compares them. When they become outdated, only a logo is missing.
 */

import { toAlphanumeric } from '../characters.js';

/** The brands that `findCardBrand` recognises. Elo comes first, because its ranges lie within Visa's and Discover's. */
export const cardBrands = [
  'elo',
  'visa',
  'mastercard',
  'amex',
  'diners',
  'discover',
  'jcb',
  'hipercard',
  'hiper',
] as const;

/** One of {@link cardBrands}. Hipercard and Hiper are no longer issued, but still in wallets. */
export type CardBrand = (typeof cardBrands)[number];

/** First digits, with a dash for a range, and then the lengths of a whole number. */
const table: Readonly<Record<CardBrand, readonly [prefixes: string, ...lengths: number[]]>> = {
  // These ranges are unofficial, like every public list of Elo's: the brand publishes none without a contract.
  elo: [
    '401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509 627780 636297 636368 ' +
      '650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727 ' +
      '650901-650978 651652-651679 655000-655019 655021-655058',
    16,
  ],
  visa: ['4', 16, 18, 19],
  mastercard: ['51-55 2221-2720', 16],
  amex: ['34 37', 15],
  diners: ['300-305 36 380-383 3840 3842-3849 385-389 39', 14, 16, 19],
  discover: ['6011 644-659', 16, 19],
  jcb: ['1800 2131 3528-3589', 16, 17, 18, 19],
  // 3841 lies within Diners' 38, and the library counts it there. Brazilian lists (bin-cc and those made from it) count it as
  // Hipercard's, with 13, 16 or 19 digits. 14 digits, as Diners has them, are allowed as well, because a guess must refuse no
  // card.
  hipercard: ['3841 606282', 13, 14, 16, 19],
  hiper: ['637095 637568 637599 637609 637612 63737423 63743358', 16],
};

/** The number of digits of the longest prefix in the table. */
const prefixLength = 8;

/** The table, with its ranges as texts: a shorter number sorts before those that begin with it. */
const ranges = cardBrands.flatMap((brand) =>
  table[brand][0].split(' ').map((prefix) => {
    const [from = '', to = from] = prefix.split('-');
    return { brand, from, to: fillPrefix(to, '9') };
  }),
);

/**
 * Finds the brand of a number, complete or not: as soon as no further digit can change it.
 *
 * @returns null while several brands are possible, for a brand that is not in the table, and for a text that is no number
 */
export function findCardBrand(text: string): CardBrand | null {
  const head = toAlphanumeric(text).slice(0, prefixLength);
  if (/\D/.test(head)) return null;
  const least = fillPrefix(head, '0');
  const most = fillPrefix(head, '9');
  const first = ranges.find(({ from, to }) => from <= most && least <= to);
  return first && first.from <= least && most <= first.to ? first.brand : null;
}

/**
 * Whether a complete number of this brand can have so many digits. For an unknown brand, 12 to 19 digits are possible
 * (ISO/IEC 7812-1).
 */
export function isCardLength(length: number, brand: CardBrand | null): boolean {
  return brand ? table[brand].slice(1).includes(length) : length >= 12 && length <= 19;
}

/**
 * Finds how many digits the security code has: four for Amex, three for others, null (three or four) if the brand is unknown.
 */
export function findCodeLength(brand: CardBrand | null): 3 | 4 | null {
  return brand && (brand === 'amex' ? 4 : 3);
}

/**
 * Whether a card may be tried in a shop that accepts only these brands. A card is refused only if its brand is certain and
 * not among them. A new Elo range shows as Discover until the table knows it, so a shop that accepts Elo also lets Discover
 * pass.
 */
export function isAcceptedBrand(brand: CardBrand | null, accepted: readonly CardBrand[]): boolean {
  return !brand || accepted.includes(brand) || (brand === 'discover' && accepted.includes('elo'));
}

/**
 * Reads the `accepted-brands` attribute: names of {@link cardBrands} separated by white space, in either case. If it names no
 * brand, all are accepted, because a typing error of the page must not turn every payer away.
 *
 * @returns the brands in the page's order, and the words that name no brand; nothing is thrown
 */
export function parseAcceptedBrands(text: string): {
  accepted: readonly CardBrand[];
  unknown: string[];
} {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  const accepted = words.filter(isCardBrand);
  return {
    accepted: accepted.length > 0 ? accepted : cardBrands,
    unknown: words.filter((word) => !isCardBrand(word)),
  };
}

function isCardBrand(word: string): word is CardBrand {
  return Object.hasOwn(table, word);
}

function fillPrefix(prefix: string, digit: '0' | '9'): string {
  return prefix.padEnd(prefixLength, digit);
}

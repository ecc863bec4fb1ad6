/** English. Words only. */

import type { CardMessages } from './card-messages.js';

export const en: CardMessages = {
  fields: {
    card_number: { label: 'Card number' },
    card_name: { label: 'Name on card' },
    card_expiry: { label: 'Expiry', pattern: 'MM/YY' },
    card_code: { label: 'CVV' },
  },
  accepts: 'We accept',
  codeOnBack: '3 digits on the back',
  codeInFront: '4 digits on the front',
  missing: {
    card_number: 'Enter the card number.',
    card_name: 'Enter the name as it is on the card.',
    card_expiry: 'Enter month and year, as on the card.',
    card_code: 'Enter the CVV.',
  },
  invalid: {
    card_number: 'The number has a typing error.',
    card_name: 'Enter the name in letters, as it is on the card.',
    card_expiry: 'Check month and year (MM/YY).',
    card_code: 'Enter 3 digits (Amex: 4).',
  },
  faults: {
    length: 'Check the card number: it has too few digits or too many.',
    incomplete: 'Enter the last name, too.',
    too_long: 'The name is too long.',
    past: 'This card has expired. Check the date.',
  },
  notAccepted: (brand, accepted) =>
    `The shop does not take ${brand}. Use a ${accepted} card, or pay in another way.`,
  ending: (brand, digits) => `${brand ?? 'Card'} ending in ${digits}`,
  protection: { encrypted: 'Protected payment', local: 'Protected payment: test on this machine' },
  installments: 'Instalments',
  atOnce: (total) => `In full ${total}`,
  inParts: (count, each, total, interestFree) =>
    `${count}x ${each} ${interestFree ? 'interest-free' : `(${total})`}`,
  withInterest: (total) => `With interest, ${total} in all`,
};

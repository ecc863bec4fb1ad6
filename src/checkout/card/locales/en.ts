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
    card_name: 'Enter the name on the card.',
    card_expiry: 'Enter month and year.',
    card_code: 'Enter the CVV.',
  },
  invalid: {
    card_number: 'There is a typing error.',
    card_name: 'Use letters only.',
    card_expiry: 'Check it: MM/YY.',
    card_code: '3 digits (Amex: 4).',
  },
  faults: {
    length: 'Too few or too many digits.',
    incomplete: 'Enter the last name, too.',
    too_long: 'The name is too long.',
    past: 'Card expired.',
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

/** Brazilian Portuguese: the payer's language, and the source of the other two. Words only. */

import type { CardMessages } from './card-messages.js';

export const ptBr: CardMessages = {
  fields: {
    card_number: { label: 'Número do cartão' },
    card_name: { label: 'Nome impresso no cartão' },
    card_expiry: { label: 'Validade', pattern: 'MM/AA' },
    card_code: { label: 'CVV' },
  },
  accepts: 'Aceitamos',
  codeOnBack: '3 dígitos no verso',
  codeInFront: '4 dígitos na frente',
  missing: {
    card_number: 'Digite o número do cartão.',
    card_name: 'Escreva o nome do cartão.',
    card_expiry: 'Digite mês e ano.',
    card_code: 'Digite o CVV.',
  },
  invalid: {
    card_number: 'Há um erro de digitação.',
    card_name: 'Use só letras no nome.',
    card_expiry: 'Confira: MM/AA.',
    card_code: '3 dígitos (Amex: 4).',
  },
  faults: {
    length: 'Faltam ou sobram dígitos.',
    incomplete: 'Escreva também o sobrenome.',
    too_long: 'O nome está muito longo.',
    past: 'Cartão vencido.',
  },
  notAccepted: (brand, accepted) =>
    `A loja não aceita ${brand}. Use um cartão ${accepted}, ou pague de outra forma.`,
  ending: (brand, digits) => `${brand ?? 'Cartão'} final ${digits}`,
  protection: {
    encrypted: 'Pagamento protegido',
    local: 'Pagamento protegido: teste nesta máquina',
  },
  installments: 'Parcelas',
  atOnce: (total) => `À vista ${total}`,
  inParts: (count, each, total, interestFree) =>
    `${count}x de ${each} ${interestFree ? 'sem juros' : `(${total})`}`,
  withInterest: (total) => `Com juros, ${total} no total`,
};

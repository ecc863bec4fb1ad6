/** Spanish. Words only. */

import type { CardMessages } from './card-messages.js';

export const es: CardMessages = {
  fields: {
    card_number: { label: 'Número de tarjeta' },
    card_name: { label: 'Nombre en la tarjeta' },
    card_expiry: { label: 'Vencimiento', pattern: 'MM/AA' },
    card_code: { label: 'CVV' },
  },
  accepts: 'Aceptamos',
  codeOnBack: '3 dígitos al dorso',
  codeInFront: '4 dígitos al frente',
  missing: {
    card_number: 'Escriba el número de la tarjeta.',
    card_name: 'Escriba el nombre impreso.',
    card_expiry: 'Escriba mes y año.',
    card_code: 'Escriba el CVV.',
  },
  invalid: {
    card_number: 'Hay un error al escribirlo.',
    card_name: 'Use solo letras.',
    card_expiry: 'Revise: MM/AA.',
    card_code: '3 dígitos (Amex: 4).',
  },
  faults: {
    length: 'Faltan o sobran dígitos.',
    incomplete: 'Escriba también el apellido.',
    too_long: 'El nombre es demasiado largo.',
    past: 'Tarjeta vencida.',
  },
  notAccepted: (brand, accepted) =>
    `La tienda no acepta ${brand}. Use una tarjeta ${accepted}, o pague de otra forma.`,
  ending: (brand, digits) => `${brand ?? 'Tarjeta'} terminada en ${digits}`,
  protection: { encrypted: 'Pago protegido', local: 'Pago protegido: prueba en esta máquina' },
  installments: 'Cuotas',
  atOnce: (total) => `Al contado ${total}`,
  inParts: (count, each, total, interestFree) =>
    `${count}x ${each} ${interestFree ? 'sin interés' : `(${total})`}`,
  withInterest: (total) => `Con interés, ${total} en total`,
};

/**
 * The texts outside the element: of the card form, the dialog, the payment page, and screens that a server renders. A browser
 * loads them in other files than the element's, or never. Brazilian Portuguese; the other languages have the same entries.
 */

import type { CardFault, CardField } from '../../../domain/card/card-fields.js';

/** A field's label, and its format if the payer has to know it. */
export interface FieldWords {
  readonly label: string;
  readonly pattern?: string;
}

/** The card form. Amounts are formatted already. */
export const card = {
  /** The labels are short, because two fields share the width of a phone. */
  fields: {
    card_number: { label: 'Número do cartão' },
    card_name: { label: 'Nome impresso no cartão' },
    card_expiry: { label: 'Validade', pattern: 'MM/AA' },
    card_code: { label: 'CVV' },
  } satisfies Record<CardField, FieldWords> as Readonly<Record<CardField, FieldWords>>,
  /** Introduces the list of brands that the shop takes. */
  accepts: 'Aceitamos',
  /** Says where the security code is: on the back of most cards, on the front of an Amex. */
  codeOnBack: 'No verso',
  codeInFront: 'Na frente',
  /** Replaces that hint once the form has dropped the security code. */
  codeAgain: 'Digite de novo.',
  /** How to correct a field that is empty or not valid. */
  missing: {
    card_number: 'Digite o número do cartão.',
    card_name: 'Digite o nome do cartão.',
    card_expiry: 'Digite a data.',
    card_code: 'Digite o CVV.',
  } satisfies Record<CardField, string>,
  invalid: {
    card_number: 'Número inválido: confira.',
    card_name: 'Use só letras no nome.',
    card_expiry: 'Confira: MM/AA.',
    card_code: '3 dígitos (Amex: 4).',
  } satisfies Record<CardField, string>,
  /** How to correct a fault that only one field has. */
  faults: {
    length: 'Faltam ou sobram dígitos.',
    incomplete: 'Digite também o sobrenome.',
    too_long: 'Muito longo: abrevie.',
    past: 'Cartão vencido.',
  } satisfies Record<Exclude<CardFault, 'missing' | 'invalid' | 'not_accepted'>, string>,
  /** `accepted` names the brands to choose from. */
  notAccepted: (brand: string, accepted: string) => `A loja não aceita ${brand}. Use ${accepted}.`,
  /** A card on the receipt; `null` if its brand is not known. */
  ending: (brand: string | null, digits: string) => `${brand ?? 'Cartão'} final ${digits}`,
  /** How the card is sent: encrypted, or without leaving this machine. */
  protection: {
    encrypted: 'Pagamento protegido',
    local: 'Pagamento protegido (teste local)',
  },
  installments: 'Parcelas',
  /** A single instalment. */
  atOnce: (total: string) => `À vista ${total}`,
  /** Fits into a closed list on a narrow phone. With interest, the total stands behind each instalment. */
  inParts: (count: number, each: string, total: string, interestFree: boolean) =>
    `${count}x de ${each} ${interestFree ? 'sem juros' : `(${total})`}`,
  /** Says under the list what the chosen instalments cost in total. */
  withInterest: (total: string) => `Com juros, ${total} no total`,
};

/** The dialog. */
export const dialog = {
  name: 'Pagamento',
  close: 'Fechar',
  /** Asks before the dialog closes on a payment in flight. */
  stay: 'Pagamento em andamento. Feche de novo para sair.',
  /** The element's script could not be loaded. */
  missing: 'O pagamento não abriu. Recarregue a página e tente de novo.',
};

/**
 * An invoice that a server renders: here the element will update itself, and a button will copy. No text is longer than the
 * element's own in the same place, because the page would jump when the script arrives.
 */
export const drawn = {
  show: 'Mostrar código Pix',
  waiting: 'Pague no app do seu banco e depois toque em “Já paguei”.',
};

/** The payment page: its own screens say what has happened, and what to do. */
export const payment = {
  /** The whole preview in a chat, beside the merchant's name. */
  preview: 'Link de pagamento',
  retry: 'Tentar de novo',
  /** The link to `supportUrl`. */
  contact: 'Falar com a loja',
  /** The link to `returnUrl`. */
  back: 'Voltar para a loja',
  opening: 'Abrindo o pedido…',
  /** Appears under `opening` after a while, because old browsers inside apps never get further. */
  slow: 'Está demorando. Se continuar assim, abra este link no navegador do celular.',
  badLink: {
    title: 'Não foi possível abrir este link',
    text: 'O link expirou ou está incompleto. Peça outro link à loja.',
  },
  paid: {
    title: 'Este pedido já está pago',
    text: 'Não pague de novo.',
  },
  closed: {
    title: 'Este pedido foi encerrado',
    text: 'Ele não pode mais ser pago. Se você já pagou, fale com a loja.',
  },
  /** The shop's code returns no valid order. */
  failed: {
    title: 'Há um erro neste pedido',
    text: 'Ele não pode ser pago assim. Fale com a loja.',
  },
  unreachable: {
    title: 'Não deu para abrir o pedido',
    text: 'Tente de novo. Se você já pagou, não pague de novo.',
  },
  noScripts: {
    title: 'Falta um passo para pagar',
    text: 'Esta página só funciona com JavaScript. Ative-o no navegador, ou abra este link em outro navegador.',
    /** Makes the text. @param reference the order's; null if it is only in the payer's link, where no server sees it */
    toContact: (shop: string, reference: string | null) =>
      `Se não der, fale com a loja ${shop}${reference ? ` e informe o pedido ${reference}` : ''}.`,
  },
};

/**
 * The images that replace a code's picture when it ends: PNGs of one bit a pixel, as base64. Each is a mark over two lines of
 * Inter Semibold, 28 px, 290 × 290, black where a pixel was darker than the middle.
 */
export const qrEndings = {
  // Este pedido já está pago
  paid: 'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADH0lEQVR42u3WsW4bORAA0BFY0IXhaa8QxCI/cYVhFvmU/IDLFIHIQMV22U/Ip4QGi5T5hHChDzgKKY7AEZyYih07MnfJ4HTFAdySeNjlzgxnCNTwGOiqq6666qqrrrrqqqv/XDUtJQBRVwGA15UDWNWVBgBVUwl4eLGxFyqCIo01FRiR5zWVRZbLygmitKopI+//E2pK5yjoqjquqoo6bsnJZZWOv+dFRR1DFSoqHsMesEXFivrxrcTPpr5UVY7UjirKy2NkWV0lVlWKKHLa1VXAFuWblBMtysi6irlcqyooTXXl5apBuQ1redclrysZAKmex5g7DqtVTgJJVK9CUC21qusqIpn6GYpIU4Pi9K1+ats6wI9IeXmOztTY5UxTx2zrvm2dvG0qtE2YtmlFefLJ80xRMveqPpE9ADvXTaFxqd/Suuqqq7Gs/C+9bUCyc8r/rhrL6pDlk6J/pxI34j2FiQzdDejs0yx9ruLKbICCVqD0gOb10wh5rgKYNagANyCBo2aGlZT3Pl7LcH2z2Vxx5MzaUiT8Pz5sZdiu5UZwxN0wFRX5sBVZXcrhStiyCsIHyAoe1KG4e3ZU9KjGokrQosj5QBS2axUXvkjhNqisZJzd/YEO4TZsVVY3s5HIUb3NUf1jOapvIaxB5gyJ2Qx5eLsK4j6PWmk5m20PW5aqlfPz2tF00v7fqnfMNjXGxzujWFBDfOirSS6ph9TgohofVVQNu8emf1xWo1PklHvHgqBLEUT8kwpnaNSCtNTXzCFdoOP+Iq4KCpBAwJoZTsANcxCgoBAJ8zMMxHbWTsbfqpfq65jEKD7hX5a4/XtvvQ8FRWMSA1IeUzjR3vrpZ86eqYQJOCMkltVuRumstESXlWOfQ1FBVkagzsrMKRyTpIg45H3Z/efiFz+IMQm6D8ZoCffD3vrDnPoojorbYSYSHwQSXgnEYUdsN9jJFaOaM4SATLOlDMFIRmjx3jC6QPNqJtt3Y64cNTlLl8K/CeXKOa3EUKzCU+VLCk/U5Aoqniq3KilxojwrKXminr+8d8yuuuqqq6666qqrrs6uvgM1BZTTDvU/jAAAAABJRU5ErkJggg==',
  /** The code has expired, was replaced, or may not be paid beside a blocking card. */
  // Este código Pix não vale mais
  ended:
    'iVBORw0KGgoAAAANSUhEUgAAASIAAAEiAQAAAAB1xeIbAAADQ0lEQVR42u3WwWobMRAA0DEL1aXs9ANMpp/QYw4hOvZ3cswhWAo56KhP6Kd0U0N97Cd0Xf+AfFNh0TTazbrxronUkhZKtWAMm+doNBqNBJzxNFBUUUUVVVRRRRVVVFF/XGW9CgCUVh5ApFULsEgrDQAqpQIIPwtspjpQrDGlfMXsREpFEeXzqiXmsEipRj7ME1JKxyzopOrfqoTqQ2rl8ypU3CE7SigRlU+oDnuFOapLKE+RBPEXleyDSig3qOpFlOrV3b+rRI4KVY6K5ZqhdJZqVFLJfm+k1zHujSpZObHq01XIHWXUKgeZUv3uUR1mqORO6/qxUrt2iCjVAYZMOfkSnSmzyzVZHTOv++Z18rxTIe+EyTutOJ588mVOUW4eVPpEdgDVS90UMl+VW1pRRf3HyjHz2E52x8r9bGx7Zjt0TI3buXKH349KPK+GEXU1HfHxMzx2+DK3k+j3J9V2pkLV0C3zLd/y2tJ24yUbt1tvj1W3aM6AAzAosKTft3hKeWiWoDq4gUtAAtGIqLbribp23YXszi8uLpdItbi7i2q/Oc6E++78Svqb89VS4hkZs2az3TkzUez8irzyjwq3bO53j1eGg/LkPJBnrw5KVxO1Z7+IyrHnpbJnchOV2HU0yRfMFc0Ut1eeeRxR9nHxbET2V16xX43R2145e6ycv/Ir5VdPM8HTTLDz1zc/s4p9VnmSewfX4Jcgj1dorm4WnkAdrzZPVtvBqgpPKue+rxzemf2zO22TtR9NjkKRowBzlKYc1arSC/+UsidUM94sD2uIJ5RWOYpnf7RZin9PhXPVKqcCrVuFrQpvrqWTOBbQQb2VWjYUaKMJGwrwjhpCLScKCEhjIAOIGgMAasTxfntQdU0oBJPB+ITXr/pvnCjCD4iG0X61SCYQmq8G6eNESeSa1ozIth4Um/FfPVVdVBYD1iCiCgKrudJRGdKjasR8jhIhqs8EowKBzXSOssZBoa0pTsagwQ5nSiKt+dMljYoM8imFhr9dkkX68qhors5iVtsVIWKfCRT1CRXXhFs1rNAQPeB8jnFKToGNq/2gtEA9myPeoYsXgXuLsYLQ3JtZ5ZRuUlRRRRVVVFFFFVVUUb+gfgAN8C+9wPJOPQAAAABJRU5ErkJggg==',
};

export type CardWords = Readonly<typeof card>;
export type DialogWords = Readonly<typeof dialog>;
export type DrawnWords = Readonly<typeof drawn>;
export type PaymentWords = Readonly<typeof payment>;
export type QrEndings = Readonly<typeof qrEndings>;

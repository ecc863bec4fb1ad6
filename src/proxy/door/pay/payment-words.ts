/** What the payment page says beside the element, which brings its own words. */

import type { PaymentPageSettings } from '../../set-up/options/payment-page-option.js';

/** A screen of its own: what is, and what to do. */
interface Said {
  readonly title: string;
  readonly text: string;
}

interface PaymentWords {
  /** All that a preview in a chat says beside the merchant's name. */
  readonly preview: string;
  readonly retry: string;
  /** The link to `supportUrl`. */
  readonly contact: string;
  /** The link to `returnUrl`. */
  readonly back: string;
  readonly opening: string;
  /** Under it, after a while: old browsers inside apps never get further. */
  readonly slow: string;
  readonly badLink: Said;
  readonly paid: Said;
  readonly closed: Said;
  /** What the shop's code answers is no order. */
  readonly failed: Said;
  readonly unreachable: Said;
  readonly noScripts: Said & {
    /** @param reference the order's; null: the payer's link holds it where no server sees it */
    readonly toContact: (shop: string, reference: string | null) => string;
  };
}

export const paymentWords: Readonly<Record<PaymentPageSettings['locale'], PaymentWords>> = {
  'pt-BR': {
    preview: 'Link de pagamento',
    retry: 'Tentar de novo',
    contact: 'Falar com a loja',
    back: 'Voltar para a loja',
    opening: 'Abrindo o pedido…',
    slow: 'Está demorando. Se continuar assim, abra este link no navegador do celular.',
    badLink: {
      title: 'Este link não vale mais',
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
    failed: {
      title: 'Há um erro neste pedido',
      text: 'Ele não pode ser pago assim. Fale com a loja.',
    },
    unreachable: {
      title: 'Não deu para abrir o pedido',
      text: 'Tente de novo em instantes. Se você já pagou, não pague de novo.',
    },
    noScripts: {
      title: 'Falta um passo para pagar',
      text: 'Esta página só funciona com JavaScript. Ative-o no navegador, ou abra este link em outro navegador.',
      toContact: (shop, reference) =>
        `Se não der, fale com a loja ${shop}${reference ? ` e informe o pedido ${reference}` : ''}.`,
    },
  },
  en: {
    preview: 'Payment link',
    retry: 'Try again',
    contact: 'Contact the shop',
    back: 'Back to the shop',
    opening: 'Opening the order…',
    slow: 'This is taking long. If it goes on, open this link in your phone’s browser.',
    badLink: {
      title: 'This link no longer works',
      text: 'It has expired or is incomplete. Ask the shop for another one.',
    },
    paid: {
      title: 'This order is already paid',
      text: 'Do not pay again.',
    },
    closed: {
      title: 'This order is closed',
      text: 'It can no longer be paid. If you have paid already, contact the shop.',
    },
    failed: {
      title: 'There is an error in this order',
      text: 'It cannot be paid like this. Contact the shop.',
    },
    unreachable: {
      title: 'The order could not be opened',
      text: 'Try again in a moment. If you have paid already, do not pay again.',
    },
    noScripts: {
      title: 'One step before you can pay',
      text: 'This page works with JavaScript only. Turn it on in your browser, or open this link in another one.',
      toContact: (shop, reference) =>
        `If that does not help, contact the shop ${shop}${reference ? ` and name the order ${reference}` : ''}.`,
    },
  },
  es: {
    preview: 'Enlace de pago',
    retry: 'Intentar de nuevo',
    contact: 'Hablar con la tienda',
    back: 'Volver a la tienda',
    opening: 'Abriendo el pedido…',
    slow: 'Está tardando. Si sigue así, abra este enlace en el navegador del teléfono.',
    badLink: {
      title: 'Este enlace ya no vale',
      text: 'El enlace venció o está incompleto. Pida otro enlace a la tienda.',
    },
    paid: {
      title: 'Este pedido ya está pagado',
      text: 'No pague de nuevo.',
    },
    closed: {
      title: 'Este pedido está cerrado',
      text: 'Ya no se puede pagar. Si ya pagó, hable con la tienda.',
    },
    failed: {
      title: 'Hay un error en este pedido',
      text: 'Así no se puede pagar. Hable con la tienda.',
    },
    unreachable: {
      title: 'No se pudo abrir el pedido',
      text: 'Inténtelo de nuevo en un momento. Si ya pagó, no pague de nuevo.',
    },
    noScripts: {
      title: 'Falta un paso para pagar',
      text: 'Esta página solo funciona con JavaScript. Actívelo en el navegador, o abra este enlace en otro navegador.',
      toContact: (shop, reference) =>
        `Si no es posible, hable con la tienda ${shop}${reference ? ` e indique el pedido ${reference}` : ''}.`,
    },
  },
};

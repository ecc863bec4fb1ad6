/**
 * The texts that are not the element's own: of the card form, the dialog, the payment page, and what a server draws; each
 * language has what pt-BR has. A browser loads them in other files than the element's, or never.
 */

import type { card, dialog, drawn, payment, qrEndings } from './pt-br.js';

export type CardWords = Readonly<typeof card>;
export type DialogWords = Readonly<typeof dialog>;
export type DrawnWords = Readonly<typeof drawn>;
export type PaymentWords = Readonly<typeof payment>;
export type QrEndings = Readonly<typeof qrEndings>;

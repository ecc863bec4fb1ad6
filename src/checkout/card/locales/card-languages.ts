/** The languages of the card form, one line each: those of the element, or its types do not fit. */

import { en } from './en.js';
import { es } from './es.js';
import { ptBr } from './pt-br.js';

export const cardLanguages = { 'pt-BR': ptBr, en, es };

export type CardLocale = keyof typeof cardLanguages;

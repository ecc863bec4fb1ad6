/** Every text a payer may read: those that pt-BR has, in each language. */

import type { ptBr } from './pt-br.js';

/** All texts of one language. */
export type Messages = Readonly<typeof ptBr>;

/** Single texts that a page says in its own words: any entry, and of a group any of its entries. */
export type TextOverrides = {
  readonly [K in keyof Messages]?: Messages[K] extends Readonly<Record<string, unknown>>
    ? Partial<Messages[K]>
    : Messages[K];
};

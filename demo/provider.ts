/**
 * A pretend card provider: it makes tokens of test cards. For the demo only; copy the shape of `tokenizeCard` and nothing else.
 *
 * A real provider sends the card to its own server, and fills the slot with a frame that neither page nor element can read.
 */

import { html } from 'lit';
import type { TokenizeCard } from '../src/checkout/card/card-file-contract.js';
import type { CardCredentials } from '../src/contract/types.js';
import { testCards } from '../src/sandbox/test-cards.js';

/** How the pretend provider behaves. */
export interface ProviderOptions {
  readonly tokenizer: 'works' | 'fails' | 'hangs' | 'rubbish';
  /** Whether it adds 3-D Secure data. */
  readonly threeDSecure: boolean;
}

/** The data of a successful 3-D Secure check. */
const threeDSecureData: CardCredentials = {
  cavv: 'AAECAwQFBgcICQoLDA0ODxAREhM=',
  xid: 'EhMUFRYXGBkaGxwdHh8gISIjJCU=',
  eci: '05',
  version: '2.2.0',
  referenceid: '0f6d2a5e-5b1c-4d0e-9a53-6c1f2f4b7d10',
};

/** The provider's own field, for the slot `card`: with it the element shows no card fields. */
export const providerField = html`<label slot="card" class="provider">
  Número do cartão
  <input inputmode="numeric" autocomplete="cc-number" placeholder="0000 0000 0000 0000" />
  <small>Este campo é do provedor de teste</small>
</label>`;

/** @param readField returns what the payer typed into {@link providerField} */
export function createTokenizer(
  { tokenizer, threeDSecure }: ProviderOptions,
  readField: () => string,
): TokenizeCard {
  return async (card) => {
    if (tokenizer === 'hangs') await new Promise(() => undefined);
    const number = (card?.number ?? readField()).replace(/\D/g, '');
    if (tokenizer === 'fails' || number === '') throw new Error('The test provider failed');
    if (tokenizer === 'rubbish') return {};
    const { first_name, last_name } = card ?? {};
    return {
      token: toToken(number),
      // Never the number, the expiry or the security code: the token replaces them.
      ...(first_name === undefined ? {} : { first_name }),
      ...(last_name === undefined ? {} : { last_name }),
      ...(threeDSecure ? threeDSecureData : {}),
    };
  };
}

/** The token of a test card; for another card, one that the sandbox does not know. */
function toToken(number: string): string {
  return testCards.find((known) => known.number === number)?.token ?? 'tok_unlisted';
}

/** No person, no card, no token in a log, in the ledger, in what the merchant is told, or in an answer. */

import { findCanary } from '../people/canaries.js';
import type { PixWaitingNotice } from '../../../src/proxy.js';
import type { Notice, Rule, RuleParts } from './watch.js';

/** The signed texts are capabilities: they may be in answers. */
const signed = /v1\.[\w-]{10,}\.[\w-]{10,}/;

/** Operations that are given nothing but numbers and words of ours. */
const dull: ReadonlySet<string> = new Set(['search', 'count', 'prune']);

export function createLeakRule({ fail }: RuleParts): Rule {
  return {
    ledgerAsked(operation, args) {
      if (!dull.has(operation)) search(`the ledger (${operation})`, args, true);
    },
    orderChanged: (_before, after) => search('the order', after, true),
    logged: (entry) => search('the log', entry, true),
    told(
      kind,
      { qrImageUrl: _bearsItsOwn, ...notice }: Notice & Pick<PixWaitingNotice, 'qrImageUrl'>,
    ) {
      search(`the notice ${kind}`, notice, true);
    },
    answered: ({ reply }) => search('an answer', reply, false),
  };

  function search(where: string, value: unknown, isSignedToo: boolean): void {
    const text = JSON.stringify(value);
    const found = findCanary(text) ?? (isSignedToo ? signed.exec(text)?.[0].slice(0, 6) : null);
    if (found) fail('leak', `${where} holds ${found}`);
  }
}

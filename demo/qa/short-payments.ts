/** A bank that can be paid too little: look-ups of a marked invoice name R$ 1,00 less than was asked for. */

import type { Sandbox } from '../../src/sandbox.js';

/** Cents that are missing. */
const missingCents = 100;

/** The sandbox's own `fetch`, and marks on invoices. */
export interface ShortPayments {
  readonly fetch: Sandbox['fetch'];
  /** From now on this invoice was paid too little. */
  mark(invoiceId: string): void;
}

/** @param sandbox whose answers are changed */
export function createShortPayments(sandbox: Pick<Sandbox, 'fetch'>): ShortPayments {
  const marked = new Set<string>();
  return {
    mark: (invoiceId) => void marked.add(invoiceId),
    async fetch(input, init) {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const response = await sandbox.fetch(input, init);
      const [, id = ''] = /\/api\/v2\/invoices\/([^/]+)$/.exec(pathname) ?? [];
      if (!marked.has(id) || !response.ok) return response;
      const answer = (await response.json()) as { data: { total_cents: number } };
      answer.data.total_cents -= missingCents;
      return Response.json(answer, { headers: response.headers });
    },
  };
}

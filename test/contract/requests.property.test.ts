/** The proxy takes from a browser exactly the payer that the element's form lets through. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { createRequestSchema } from '../../src/contract/schemas.js';
import { checkPayerField, normalizePayerField, payerFields } from '../../src/domain/payer.js';
import type { PayerField } from '../../src/domain/payer.js';
import { numRuns } from '../tools/runs.js';
import { maps } from '../support/tables.js';

/** What the proxy finds wrong in a request with this one field: the field's path, null if nothing is. */
function faultOf(field: PayerField, text: string): string | null {
  const request = { method: 'pix', external_id: 'order-1', payer: { [field]: text } };
  const { error } = z.safeParse(createRequestSchema, request);
  return error?.issues[0]?.path.join('.') ?? null;
}

const emails = fc
  .tuple(
    fc.emailAddress(),
    fc.nat({ max: 30 }),
    fc.constantFrom('', '/', '(', ':', '_', '-', '.', '@', '[', 'ã', ' ', '\u200b', "'"),
  )
  .map(([email, at, mark]) => email.slice(0, at) + mark + email.slice(at));
const numbers = fc.stringMatching(/^\+?(00)?(55)?0?[\d() -]{8,15}$/);
const documents = fc
  .tuple(
    fc.constantFrom('52998224725', '11222333000181', '12ABC34501DE35'),
    fc.stringMatching(/^[\dA-Za-z.-]{0,2}$/),
  )
  .map((parts) => parts.join(''));
const typed = fc.oneof(
  emails,
  numbers,
  documents,
  fc.string({ unit: 'grapheme', maxLength: 210 }),
  fc.constantFrom('', ' ', 'SP', '01310-100', 'S/N'),
);

describe('what the form and the proxy say of a payer', () => {
  it('is the same, as typed and as the element sends it', () => {
    let taken = 0;
    const runs = numRuns(1_000);
    fc.assert(
      fc.property(fc.constantFrom(...payerFields), typed, (field, text) => {
        const sent = normalizePayerField(field, text);
        const expected = checkPayerField(field, text, false) === null ? null : `payer.${field}`;
        assert.equal(faultOf(field, sent), expected);
        if (text.length <= 200) assert.equal(faultOf(field, text), expected);
        if (expected === null) taken += 1;
      }),
      { numRuns: runs },
    );
    assert.ok(taken > runs / 20 && taken < runs, 'the search sees both sides');
  });

  maps(faultOf, [
    ['email', 'maria@exemplo.com/', 'payer.email'],
    ['cpf_cnpj', '11.222.333/0001-819', 'payer.cpf_cnpj'],
    ['phone', '98765-4321', 'payer.phone'],
    ['address_state', 'XX', 'payer.address_state'],
  ]);
});

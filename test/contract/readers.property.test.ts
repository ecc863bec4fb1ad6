/** The hand-written readers and the zod schemas are one contract: they take and refuse the same, and read the same. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  InvalidAnswer,
  parseCreatedInvoice,
  parseInvoiceStatus,
} from '../../src/contract/readers.js';
import { createdAnswerSchema, statusAnswerSchema } from '../../src/contract/schemas.js';
import { numRuns } from '../tools/runs.js';
import { holds } from '../support/tables.js';
import { created, found } from './samples.js';

const contracts = {
  create: {
    sample: created,
    // What the reader fills in where the schema leaves a field out, or null.
    defaults: { order_code: '', qr_code_pix: '' },
    read: parseCreatedInvoice,
    schema: createdAnswerSchema,
  },
  'look-up': {
    sample: found,
    defaults: { order_code: '', is_pix: true, installments: 1, created_at: '', updated_at: '' },
    read: parseInvoiceStatus,
    schema: statusAnswerSchema,
  },
};
type Contract = (typeof contracts)[keyof typeof contracts];

const soup = fc.anything({ withNullPrototype: true, withSparseArray: true, maxDepth: 3 });

/** Values at the edges of the rules. */
const edges: unknown[] = [null, undefined, '', '1', 'paid', 'pending', '../../x', 'a-valid_id'];
edges.push(0, -0, 1, -1, 1.5, NaN, Infinity, 2 ** 53 - 1, 2 ** 53, true, false, [], {});
edges.push(...[64, 65, 2_048, 2_049].map((length) => 'x'.repeat(length)));
const edge = fc.constantFrom(...edges);

/** A valid answer in which some fields are left out, and some replaced. */
function near(sample: object): fc.Arbitrary<{ data: Record<string, unknown> }> {
  const fields = Object.keys(sample);
  const changes = fc.dictionary(
    fc.oneof(fc.constantFrom(...fields), fc.constantFrom('__proto__', 'constructor', 'client')),
    fc.oneof(edge, soup, fc.string()),
    { maxKeys: 3 },
  );
  const left = fc.subarray(fields, { maxLength: 3 });
  return fc.tuple(changes, left).map(([changed, without]) => {
    const data: Record<string, unknown> = { ...sample };
    for (const [field, value] of Object.entries(changed)) {
      const open = { enumerable: true, configurable: true, writable: true };
      Object.defineProperty(data, field, { value, ...open });
    }
    for (const field of without) Reflect.deleteProperty(data, field);
    return { data };
  });
}

function readBy({ read }: Contract, value: unknown): object | null {
  try {
    return read(value);
  } catch (thrown) {
    // Nothing else may escape.
    assert.ok(thrown instanceof InvalidAnswer);
    return null;
  }
}

function readByZod({ schema, defaults }: Contract, value: unknown): object | null {
  const result = z.safeParse<z.ZodMiniType<{ data: object }>>(schema, value);
  if (!result.success) return null;
  const given = Object.entries(result.data.data).filter(
    ([field, it]) =>
      it !== undefined &&
      (it !== null || field === 'external_id') &&
      // Without it says the same as false.
      !(field === 'returned' && it === false),
  );
  return { ...defaults, ...Object.fromEntries(given) };
}

for (const [name, contract] of Object.entries(contracts)) {
  describe(`the reader and the schema of a ${name} answer`, () => {
    const agree = (value: unknown) => {
      assert.deepEqual(readBy(contract, value), readByZod(contract, value));
    };

    it('read a valid answer alike', () => {
      agree({ data: contract.sample });
      assert.notEqual(readBy(contract, { data: contract.sample }), null);
    });

    it('take, refuse and read mutated answers alike', () => {
      let taken = 0;
      const runs = numRuns(1_000);
      const check = (value: { data: Record<string, unknown> }) => {
        agree(value);
        const read: { status?: string } | null = readBy(contract, value);
        if (read !== null) taken += 1;
        // Paid is only what an own status says so.
        if (read?.status !== 'paid') return;
        assert.ok(Object.hasOwn(value.data, 'status') && value.data['status'] === 'paid');
      };
      fc.assert(fc.property(near(contract.sample), check), { numRuns: runs });
      assert.ok(taken > runs / 20 && taken < runs, 'the search sees both sides');
    });

    const json = fc.json().map((text): unknown => JSON.parse(text));
    const given = fc.oneof(soup, json);
    const any = fc.oneof(
      given,
      given.map((data) => ({ data })),
    );
    holds('refuse JSON soup alike', 1_000, any, agree);
  });
}

/** The hand-written readers and the zod schemas are one contract: they take and refuse the same, and read the same. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  InvalidAnswer,
  parseCreatedInvoice,
  parseInvoiceStatus,
} from '../../src/contract/readers.js';
import { createdAnswerSchema, statusAnswerSchema } from '../../src/contract/schemas.js';
import { numRuns } from '../support/runs.js';
import { created, found } from './samples.js';

/** What the readers fill in where the schema leaves a field out, or null. */
const createdDefaults = { order_code: '', qr_code_pix: '' };
const foundDefaults = {
  order_code: '',
  is_pix: true,
  installments: 1,
  created_at: '',
  updated_at: '',
};

interface Contract {
  readonly sample: object;
  readonly defaults: object;
  readonly read: (value: unknown) => object;
  readonly schema: z.ZodMiniType<{ data: object }>;
}

const contracts: Record<string, Contract> = {
  create: {
    sample: created,
    defaults: createdDefaults,
    read: parseCreatedInvoice,
    schema: createdAnswerSchema,
  },
  'look-up': {
    sample: found,
    defaults: foundDefaults,
    read: parseInvoiceStatus,
    schema: statusAnswerSchema,
  },
};

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
      Object.defineProperty(data, field, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
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
  const result = z.safeParse(schema, value);
  if (!result.success) return null;
  const given = Object.entries(result.data.data).filter(
    ([field, fieldValue]) =>
      fieldValue !== undefined && (fieldValue !== null || field === 'external_id'),
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
      const runs = numRuns(3_000);
      fc.assert(
        fc.property(near(contract.sample), (value) => {
          agree(value);
          if (readBy(contract, value) !== null) taken += 1;
        }),
        { numRuns: runs },
      );
      assert.ok(taken > runs / 20 && taken < runs, 'the search sees both sides');
    });

    it('refuse JSON soup alike', () => {
      const text = fc.oneof(
        fc.json(),
        fc.json().map((json) => `{"data":${json}}`),
      );
      fc.assert(
        fc.property(
          fc.oneof(
            soup,
            soup.map((data) => ({ data })),
            text.map((json) => JSON.parse(json)),
          ),
          agree,
        ),
        { numRuns: numRuns(1_000) },
      );
    });

    it('never read paid where no own status says so', () => {
      fc.assert(
        fc.property(near(contract.sample), (value) => {
          const read: { status?: string } | null = readBy(contract, value);
          const { data } = value;
          if (read?.status === 'paid')
            assert.ok(Object.hasOwn(data, 'status') && data['status'] === 'paid');
        }),
        { numRuns: numRuns(500) },
      );
    });
  });
}

/** The records of an order: written, read, over its time, forged, and where storage is missing or fails. */

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'vitest';
import fc from 'fast-check';
import { dayMs } from '../../../src/domain/spans.js';
import {
  toRecordPrefix,
  forgetAttempt,
  readAttempts,
  writeAttempt,
} from '../../../src/checkout/browser/storage.js';
import type { StoredAttempt } from '../../../src/checkout/browser/storage.js';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';
import { createMemoryStorage } from '../../support/storage.js';
import type { FakeEnvironment } from '../../support/checkout/fake-environment.js';
import { holds } from '../../support/tables.js';

const name = toRecordPrefix('https://shop.example/pix', 'order-1042');

const open = (storage?: Storage | null) => createFakeEnvironment(() => Response.error(), storage);

function recordOf(environment: FakeEnvironment): StoredAttempt {
  return {
    attemptKey: '00000000-0000-4000-8000-00000000000a',
    invoiceId: 'invoice-0001',
    lookupToken: 'token-1',
    method: 'pix',
    totalCents: 12_990,
    createdAt: environment.wallClock().getTime(),
  };
}

/** Storage of which one method throws, as a full or barred one does. */
function failing(method: keyof Storage): Storage {
  const fail = () => {
    throw new DOMException('no', 'QuotaExceededError');
  };
  return Object.assign(createMemoryStorage(), { [method]: fail });
}

const own = `${name} ${recordOf(open()).attemptKey}`;

/** The only record of an order, or none. */
function readAttempt(environment: FakeEnvironment, order: string): StoredAttempt | null {
  const [first, second] = readAttempts(environment, order);
  assert.equal(second, undefined);
  return first?.[1] ?? null;
}

beforeEach(() => forgetAttempt(open(null), own));

/** Writes the record of an order and reads it again. */
function writeAndRead(environment: FakeEnvironment): void {
  const record = recordOf(environment);
  writeAttempt(environment, name, record);
  assert.deepEqual(readAttempt(environment, name), record);
}

describe('the record', () => {
  it('is one per endpoint and order, read as it was written, and gone once forgotten', () => {
    assert.equal(name, 'pix-checkout https://shop.example/pix order-1042');
    const environment = open();
    writeAndRead(environment);
    assert.equal(readAttempt(environment, toRecordPrefix('https://shop.example/pix', 'x')), null);
    forgetAttempt(environment, own);
    assert.equal(readAttempt(environment, name), null);
  });

  it('of another key stands beside it', () => {
    const record = recordOf(open());
    const other = { ...record, attemptKey: record.attemptKey.replace(/a$/, 'b') };
    const storage = createMemoryStorage();
    for (const one of [record, other]) writeAttempt(open(storage), name, one);
    const found = readAttempts(open(storage), name).map(([key, { attemptKey }]) => [
      key,
      attemptKey,
    ]);
    assert.deepEqual(found, [
      [own, record.attemptKey],
      [`${name} ${other.attemptKey}`, other.attemptKey],
    ]);
    assert.deepEqual(readAttempts(open(storage), `${name}3`), [], 'another order');
  });

  it('is not that of an order whose reference begins alike', () => {
    const environment = open();
    writeAttempt(environment, `${name}0`, recordOf(environment));
    assert.deepEqual(readAttempts(environment, name), []);
  });

  it('lives for 24 hours, and is then taken out', async () => {
    const storage = createMemoryStorage();
    const environment = open(storage);
    writeAndRead(environment);
    await environment.advance(dayMs);
    assert.notEqual(readAttempt(environment, name), null);
    await environment.advance(1);
    assert.equal(readAttempt(environment, name), null);
    assert.equal(storage.length, 0);
  });
});

describe('storage that cannot be had', () => {
  const useless = Object.assign(failing('setItem'), { getItem: failing('getItem').getItem });
  const barred = open();
  barred.storage = () => {
    throw new DOMException('no', 'SecurityError');
  };
  for (const [fault, environment] of [
    ['none', open(null)],
    ['full', open(failing('setItem'))],
    ['of no use at all', open(useless)],
    ['barred', barred],
  ] as const) {
    it(`${fault}: memory serves`, () => {
      writeAndRead(environment);
      forgetAttempt(environment, own);
      assert.equal(readAttempt(environment, name), null);
    });
  }

  it('that cannot forget does no harm', () => {
    assert.doesNotThrow(() => forgetAttempt(open(failing('removeItem')), name));
  });
});

describe('what stands there instead of a record', () => {
  const good = recordOf(open());
  const wrong: readonly Record<string, unknown>[] = [
    { attemptKey: undefined },
    { attemptKey: '../../x' },
    // It would change the path.
    { invoiceId: '../invoices' },
    { lookupToken: 7 },
    { method: 'boleto' },
    { totalCents: 0.5 },
    { createdAt: null },
  ];
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    ...wrong.map((one) => JSON.stringify({ ...good, ...one })),
  ]) {
    it(`${text}: none, and it is taken out`, () => {
      const storage = createMemoryStorage({ [own]: text });
      assert.equal(readAttempt(open(storage), name), null);
      assert.equal(storage.length, 0);
    });
  }

  const any = fc.oneof(fc.string(), fc.json());
  holds('anything: none, never an exception', 200, any, (text) => {
    assert.equal(readAttempt(open(createMemoryStorage({ [own]: text })), name), null);
  });
});

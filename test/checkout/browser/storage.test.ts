/** The one record of an order: written, read, over its time, forged, and where storage is missing or fails. */

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  attemptName,
  forgetAttempt,
  readAttempt,
  writeAttempt,
} from '../../../src/checkout/browser/storage.js';
import type { StoredAttempt } from '../../../src/checkout/browser/storage.js';
import { createFakeEnvironment, createMemoryStorage } from '../../support/fake-environment.js';
import type { FakeEnvironment } from '../../support/fake-environment.js';
import { numRuns } from '../../support/runs.js';

const dayMs = 86_400_000;
const name = attemptName('https://shop.example/pix', 'order-1042');

function open(storage?: Storage | null): FakeEnvironment {
  const options = storage === undefined ? {} : { storage };
  return createFakeEnvironment(() => Response.error(), options);
}

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

beforeEach(() => forgetAttempt(open(null), name));

describe('the record', () => {
  it('is one per endpoint and order', () => {
    assert.equal(name, 'pix-checkout https://shop.example/pix order-1042');
  });

  it('is read as it was written, and gone once forgotten', () => {
    const environment = open();
    const record = recordOf(environment);
    writeAttempt(environment, name, record);
    assert.deepEqual(readAttempt(environment, name), record);
    assert.equal(readAttempt(environment, attemptName('https://shop.example/pix', 'x')), null);
    forgetAttempt(environment, name);
    assert.equal(readAttempt(environment, name), null);
  });

  it('is found by another page of the same browser', () => {
    const storage = createMemoryStorage();
    const record = recordOf(open());
    writeAttempt(open(storage), name, record);
    assert.deepEqual(readAttempt(open(storage), name), record);
  });

  it('that another tab has forgotten is not found again', () => {
    const storage = createMemoryStorage();
    writeAttempt(open(storage), name, recordOf(open()));
    storage.clear();
    assert.equal(readAttempt(open(storage), name), null);
  });

  it('lives for 24 hours, and is then taken out', async () => {
    const storage = createMemoryStorage();
    const environment = open(storage);
    writeAttempt(environment, name, recordOf(environment));
    await environment.advance(dayMs);
    assert.notEqual(readAttempt(environment, name), null);
    await environment.advance(1);
    assert.equal(readAttempt(environment, name), null);
    assert.equal(storage.length, 0);
  });

  it('holds ids and tokens only', () => {
    const storage = createMemoryStorage();
    writeAttempt(open(storage), name, recordOf(open()));
    const kept = JSON.parse(storage.getItem(name) ?? '') as object;
    assert.deepEqual(Object.keys(kept).toSorted(), [
      'attemptKey',
      'createdAt',
      'invoiceId',
      'lookupToken',
      'method',
      'totalCents',
    ]);
  });
});

describe('storage that cannot be had', () => {
  for (const [fault, storage] of [
    ['barred', null],
    ['full', failing('setItem')],
    [
      'of no use at all',
      Object.assign(failing('setItem'), { getItem: failing('getItem').getItem }),
    ],
  ] as const) {
    it(`${fault}: memory serves`, () => {
      const environment = open(storage);
      const record = recordOf(environment);
      writeAttempt(environment, name, record);
      assert.deepEqual(readAttempt(environment, name), record);
      forgetAttempt(environment, name);
      assert.equal(readAttempt(environment, name), null);
    });
  }

  it('storage() itself throws: memory serves', () => {
    const environment = open();
    environment.storage = () => {
      throw new DOMException('no', 'SecurityError');
    };
    const record = recordOf(environment);
    writeAttempt(environment, name, record);
    assert.deepEqual(readAttempt(environment, name), record);
  });

  it('that cannot forget harms nobody', () => {
    assert.doesNotThrow(() => forgetAttempt(open(failing('removeItem')), name));
  });
});

describe('what stands there instead of a record', () => {
  const good = recordOf(open());
  for (const [what, text] of [
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['no key', JSON.stringify({ ...good, attemptKey: undefined })],
    ['a key that is none', JSON.stringify({ ...good, attemptKey: '../../x' })],
    ['an id that would change the path', JSON.stringify({ ...good, invoiceId: '../invoices' })],
    ['a token that is none', JSON.stringify({ ...good, lookupToken: 7 })],
    ['another method', JSON.stringify({ ...good, method: 'boleto' })],
    ['half a cent', JSON.stringify({ ...good, totalCents: 0.5 })],
    ['no time', JSON.stringify({ ...good, createdAt: null })],
  ] as const) {
    it(`${what}: none, and it is taken out`, () => {
      const storage = createMemoryStorage({ [name]: text });
      assert.equal(readAttempt(open(storage), name), null);
      assert.equal(storage.length, 0);
    });
  }

  it('anything: a record or none, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        assert.equal(readAttempt(open(createMemoryStorage({ [name]: text })), name), null);
      }),
      { numRuns: numRuns(200) },
    );
  });
});

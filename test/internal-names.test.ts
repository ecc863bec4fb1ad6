/** That names which a page, a proxy, a record or another file sees are never shortened in the script tag's files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { locales, chooseMessages } from '../src/checkout/locales/choose-messages.js';
import { writeAttempt } from '../src/checkout/browser/storage.js';
import { cardSchema, createRequestSchema, payerSchema } from '../src/contract/schemas.js';
import { created, found } from './contract/samples.js';
import { createFakeEnvironment, createMemoryStorage } from './support/checkout/fake-environment.js';
import { internalNames } from './support/internal-names.js';
import { root } from './support/tools.js';

const names = new Set(internalNames());

/** Every key of an object, and of what it holds. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => [key, ...keysOf(held)]);
}

const storage = createMemoryStorage();
const record = {
  attemptKey: '00000000-0000-4000-8000-00000000000a',
  invoiceId: 'invoice-0001',
  lookupToken: 'token-1',
  method: 'pix',
  totalCents: 12_990,
  createdAt: 0,
} as const;
writeAttempt(
  createFakeEnvironment(() => Response.error(), { storage }),
  'name',
  record,
);

const eventDetails =
  'methods method externalId invoiceId orderCode totalCents phase status copied code retryable';
const properties =
  'endpoint externalId orderToken totalPriceCents pixTotalPriceCents methods method invoiceId lookupToken payerFields ' +
  'autoStart receiverName expiresIn invoice pollInterval locale allowUnverifiedCode payer items lines texts ' +
  'lookUpAddress acceptedBrands acceptRawCard installments tokenizeCard phase start refresh reset';
const insideProperties =
  'name description quantity unit_price label cents installment total_cents interest_free number cvv holder signal';

const pinned: Readonly<Record<string, readonly string[]>> = {
  'properties and methods': properties.split(' '),
  'what objects in properties hold': insideProperties.split(' '),
  'details of events': eventDetails.split(' '),
  'the contract': [
    ...[createRequestSchema, cardSchema, payerSchema].flatMap((schema) =>
      Object.keys(schema.shape),
    ),
    ...keysOf({ data: created, message: '' }),
    ...keysOf({ data: found, code: '' }),
  ],
  'the stored record': keysOf(JSON.parse(storage.getItem('name') ?? '')),
  texts: locales.flatMap((locale) => keysOf(chooseMessages(locale))),
};

describe('shortened names', () => {
  it('are enough to be worth it', () => assert.ok(names.size > 30, [...names].join(' ')));

  for (const [what, list] of Object.entries(pinned)) {
    it(`are none of ${what}`, () => {
      assert.ok(list.length > 5);
      assert.deepEqual(
        list.filter((name) => names.has(name)),
        [],
      );
    });
  }

  it('stand in the built file no more, while the pinned ones do', () => {
    const file = readFileSync(`${root}/dist/pix-checkout.min.js`, 'utf8');
    const missing = [...properties.split(' '), ...eventDetails.split(' ')].filter(
      (name) => !new RegExp(`\\b${name}\\b`).test(file),
    );
    assert.deepEqual(missing, []);
    const left = [...names].filter((name) => file.includes(`.${name}`));
    assert.ok(left.length < names.size / 2, left.join(' '));
  });
});

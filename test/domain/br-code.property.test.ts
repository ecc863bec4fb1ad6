/** What must hold of the BR Code reader for any text, and for any code that was written right. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { BrCodeError, parseBrCode } from '../../src/domain/br-code.js';
import { anyText, holds } from '../support/tables.js';
import vectors from '../support/vectors/br-codes.json' with { type: 'json' };
import { object, pixTemplate, withCrc, writeBrCode } from './br-code-writer.js';

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const published = vectors.valid.map(({ payload }) => payload);

/** What the reader makes of a text; null where it refuses. Any other error than its own fails the test. */
function read(value: unknown) {
  try {
    return parseBrCode(value);
  } catch (error) {
    assert.ok(error instanceof BrCodeError, String(error));
    return null;
  }
}

const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .filter((it) => it.trim() === it && Array.from(it).length <= maxLength);
const orNone = (arbitrary: fc.Arbitrary<string>) => fc.option(arbitrary, { nil: null });
const url = fc.stringMatching(/^[a-z]{1,9}\.example\.com\/[\w/-]{1,30}$/);

/** What a code may say, with something to pay or to authorise. */
const said = fc
  .record(
    {
      merchantName: text(25),
      merchantCity: text(15),
      amountCents: fc.option(fc.integer({ min: 1, max: 999_999_999_999 }), { nil: null }),
      key: orNone(text(36)),
      location: orNone(url),
      recurrenceLocation: orNone(url),
      txid: orNone(text(25)),
    },
    { noNullPrototype: true },
  )
  .map((it) => (it.key === null ? it : { ...it, location: null }))
  .filter((it) => Boolean(it.key ?? it.location ?? it.recurrenceLocation));

type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

function write(it: Said): string {
  const cents = String(it.amountCents ?? 0).padStart(3, '0');
  return writeBrCode({
    '26': pixTemplate(
      '26',
      it.key === null ? '' : object('01', it.key),
      it.location === null ? '' : object('25', it.location),
    ),
    '54': it.amountCents === null ? '' : object('54', `${cents.slice(0, -2)}.${cents.slice(-2)}`),
    '59': object('59', it.merchantName),
    '60': object('60', it.merchantCity),
    '62': it.txid === null ? '' : object('62', object('05', it.txid)),
    '80':
      it.recurrenceLocation === null ? '' : pixTemplate('80', object('25', it.recurrenceLocation)),
  });
}

describe('parseBrCode', () => {
  holds('reads back what was written', 500, said, (it) => {
    const code = write(it);
    fc.pre(code.length <= 512);
    const { text, kind, ...rest } = parseBrCode(code);
    // City and id of the transaction are checked, and dropped.
    const { merchantCity: _city, txid: _txid, ...kept } = it;
    assert.deepEqual(rest, kept);
    assert.equal(text, code);
    assert.equal(kind, it.key ? 'static' : it.location ? 'dynamic' : 'recurrence');
  });

  const anything = fc.oneof(fc.anything(), anyText());
  holds('throws nothing but its own error, whatever it is given', 1_000, anything, (value) => {
    read(value);
  });

  const id = fc.constantFrom(...'00 01 02 26 27 51 52 53 54 58 59 60 62 63 80 99'.split(' '));
  const value = fc.oneof(
    fc.constantFrom('01', '986', 'BR', '0000', '', 'br.gov.bcb.pix', '0014br.gov.bcb.pix'),
    anyText({ maxLength: 40 }),
  );
  const objects = fc.array(fc.tuple(id, value).map(([id, value]) => object(id, value)));
  holds('throws nothing else for objects of any kind under a right CRC', 500, objects, (parts) => {
    read(withCrc(object('00', '01') + parts.join('')));
    read(writeBrCode({ '70': parts.join('') }));
    read(writeBrCode({ '26': pixTemplate('26', ...parts) }));
  });

  const [code, character] = [fc.constantFrom(...published), fc.constantFrom(...printable)];
  holds(
    'never reads a code with one changed character as another',
    5_000,
    code,
    fc.nat(),
    character,
    (code, position, character) => {
      const at = position % code.length;
      const changed = read(code.slice(0, at) + character + code.slice(at + 1));
      if (changed) assert.deepEqual({ ...changed, text: code }, parseBrCode(code));
    },
  );

  it('reads no code that lacks a character or has two of them swapped', () => {
    for (const code of published) {
      for (let at = 0; at < code.length; at++) {
        const [one = '', next = ''] = code.slice(at, at + 2);
        assert.equal(read(code.slice(0, at) + code.slice(at + 1)), null);
        if (one === next || next === '') continue;
        assert.equal(read(code.slice(0, at) + next + one + code.slice(at + 2)), null);
      }
    }
  });

  it('gives the same for its own text', () => {
    for (const { payload } of [...vectors.valid, ...vectors.tolerated]) {
      const once = parseBrCode(payload);
      assert.deepEqual(parseBrCode(once.text), once);
    }
  });
});

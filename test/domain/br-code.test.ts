/** The BR Code reader against published codes, and against one changed rule at a time. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { BrCodeError, crc16, findUnusualField, parseBrCode } from '../../src/domain/br-code.js';
import type { BrCodeFault } from '../../src/domain/br-code.js';
import vectors from '../support/vectors/br-codes.json' with { type: 'json' };
import { groups, maps } from '../support/tables.js';
import { object, pixTemplate, withCrc, writeBrCode } from './br-code-writer.js';

const key = object('01', 'loja@example.com');
const location = object('25', 'pix.example.com/8b3da2f39a41');
const dynamic = { '26': pixTemplate('26', location) };
const withdrawal = object('03', '12345678');
const recurrence = (url: string, id = '80') => ({ [id]: pixTemplate(id, object('25', url)) });

/** The sample with one object of another value. */
const set = (id: string, value: string) => writeBrCode({ [id]: object(id, value) });
const without = (id: string) => writeBrCode({ [id]: '' });
/** The sample with another Pix account. */
const account = (...objects: string[]) => writeBrCode({ '26': pixTemplate('26', ...objects) });
/** The sample with an account of its own making. */
const arrangement = (...objects: string[]) => set('26', objects.join(''));

/** A code that is right in all but perhaps its length. */
function codeOfLength(length: number): string {
  const filler = ['81', '82', '83'].map((id) => object(id, '8'.repeat(99))).join('');
  const rest = length - writeBrCode({ '81': filler }).length - object('84', '').length;
  const code = writeBrCode({ '81': filler, '84': object('84', '8'.repeat(rest)) });
  assert.equal(code.length, length);
  return code;
}

function faultOf(value: unknown): BrCodeFault | null {
  try {
    parseBrCode(value);
    return null;
  } catch (error) {
    assert.ok(error instanceof BrCodeError);
    return error.fault;
  }
}

/** What a code reads as that says nothing of it. */
const absent = { amountCents: null, key: null, location: null, recurrenceLocation: null };

describe('published BR Codes', () => {
  for (const { name, payload, expected } of [...vectors.valid, ...vectors.tolerated]) {
    it(`reads ${name}`, () => {
      assert.deepEqual(parseBrCode(payload), { text: payload.trim(), ...absent, ...expected });
    });
  }
  for (const { name, payload, fault } of vectors.invalid) {
    it(`refuses ${name} for its ${fault}, and does not repeat it`, () => {
      assert.equal(faultOf(payload), fault);
      assert.throws(
        () => parseBrCode(payload),
        (error: Error) =>
          error.name === 'BrCodeError' &&
          !`${error.message}${JSON.stringify(error)}`.includes(payload.slice(4, 20)),
      );
    });
  }
  for (const { input, hex } of vectors.crc16) maps(crc16, [[input, hex]]);
});

it('a code without a txid is read, with further data or without', () => {
  for (const code of [without('62'), set('62', object('03', 'L1'))]) {
    assert.equal(parseBrCode(code).kind, 'static');
  }
});

describe('what real codes overrun is tolerated', () => {
  const cases: Record<string, string> = {
    'CRC in lower case': writeBrCode().replace(/....$/, (crc) => crc.toLowerCase()),
    'white space of every kind around': `\ufeff\u00a0 \t${writeBrCode()}\r\n`,
    'a long name': set('59', 'N'.repeat(60)),
    'a long city': set('60', 'Presidente Prudente do Oeste'),
    'accents, counted once each': set('59', 'Pão de Açúcar São João'),
    'a character outside the basic plane, counted once': set('59', 'Loja 🛒'),
    'no additional data': without('62'),
    'additional data without a txid': set('62', object('03', 'L1')),
    'a long txid': set('62', object('05', 'x'.repeat(60))),
    'Pix beyond 26': writeBrCode({ '26': '', '51': pixTemplate('51', key) }),
    'GUI after the key': arrangement(key, object('00', 'BR.GOV.BCB.PIX')),
    'another arrangement that is no template': set('27', 'zz'),
    'another unreserved template that is none': set('80', 'zz'),
    'initiation 11': set('01', '11'),
    'the longest code there may be': codeOfLength(512),
  };
  for (const [name, code] of Object.entries(cases)) {
    it(name, () => {
      const { text, kind, amountCents } = parseBrCode(code);
      assert.deepEqual([text, kind, amountCents], [code.trim(), 'static', 1000]);
    });
  }
});

describe('amounts', () => {
  const centsOf = (text: string) => parseBrCode(set('54', text)).amountCents;
  maps(centsOf, [
    ['0.01', 1],
    ['98', 9800],
    ['98.7', 9870],
    ['98.73', 9873],
    ['00.10', 10],
    // 1.15 * 100 is 114.99999999999999: cents never pass through a fraction.
    ['1.15', 115],
    ['9999999999.99', 999_999_999_999],
  ]);

  const wrong = '0 0.00 10,00 98. .50 1.000 -1.00 +1.00 1e3 0x10 1R3.45 12345678901.00'.split(' ');
  groups((text: string) => faultOf(set('54', text)), [['amount', ...wrong, ' 1.00', '١٠.٠٠', '']]);

  it('a zero is left where the payer or the bank decides; none is null', () => {
    const zero = { '54': object('54', '0.00') };
    const withdrawn = { '26': pixTemplate('26', key, withdrawal) };
    assert.equal(parseBrCode(writeBrCode({ ...withdrawn, ...zero })).amountCents, 0);
    assert.equal(parseBrCode(writeBrCode({ ...dynamic, ...zero })).amountCents, 0);
    assert.equal(parseBrCode(without('54')).amountCents, null);
  });
});

describe('what cannot be paid is refused', () => {
  const cases: readonly [name: string, code: unknown, fault: BrCodeFault][] = [
    ['nothing', undefined, 'not-text'],
    ['a number', 20, 'not-text'],
    ['an object that would throw as text', { toString: null }, 'not-text'],
    ['an empty text', '', 'length'],
    ['white space', ' \n', 'length'],
    ['a code one character too long', codeOfLength(513), 'length'],
    ['a cut code', writeBrCode().slice(0, -9), 'tlv'],
    ['no CRC object', writeBrCode().slice(0, -8), 'tlv'],
    ['CRC first', '63041D3D', 'tlv'],
    ['CRC not last', writeBrCode() + object('64', 'x'), 'tlv'],
    ['CRC of five characters', writeBrCode().replace(/6304(....)$/, '6305$10'), 'tlv'],
    ['CRC of another code', writeBrCode().replace(/....$/, 'ZZZZ'), 'crc'],
    ['a format that is not first', withCrc(object('01', '11') + object('00', '01')), 'tlv'],
    ['an object named twice', writeBrCode({ '55': object('54', '20.00') }), 'tlv'],
    ['an id that is no number', writeBrCode({ '64': 'x104abcd' }), 'tlv'],
    ['a length in other digits', writeBrCode({ '64': '64٠٤abcd' }), 'tlv'],
    ['a broken Pix template', arrangement('0014br.gov.bcb.pix0199'), 'tlv'],
    ['broken additional data', set('62', '0599'), 'tlv'],
    ['another format', set('00', '02'), 'payload-format'],
    ['a format that goes on', set('00', '011'), 'payload-format'],
    ['initiation 13', set('01', '13'), 'initiation'],
    ['letters as category', set('52', 'abcd'), 'no-mcc'],
    ['no currency', without('53'), 'currency'],
    ['a currency that goes on', set('53', '9860'), 'currency'],
    ['another country', set('58', 'AR'), 'country'],
    ['no name', without('59'), 'no-name'],
    ['a blank name', set('59', '  '), 'no-name'],
    ['an empty city', set('60', ''), 'no-city'],
    ['no account', without('26'), 'no-account'],
    ['one outside 26 to 51', writeBrCode({ '26': '', '25': pixTemplate('25', key) }), 'no-account'],
    ['another arrangement', arrangement(object('00', 'br.com.outro'), key), 'no-account'],
    ['a GUI only mentioned', arrangement(object('02', 'br.gov.bcb.pix'), key), 'no-account'],
    ['an empty key', account('0100'), 'no-account'],
    ['two accounts', writeBrCode({ '27': pixTemplate('27', key) }), 'several-accounts'],
    ['key and location', account(key, location), 'key-and-location'],
    ['a withdrawal with a location', account(withdrawal, location), 'key-and-location'],
    ['a bad recurrence location', writeBrCode(recurrence('rec')), 'location'],
  ];
  for (const [name, code, fault] of cases) {
    it(`${name}: ${fault}`, () => assert.equal(faultOf(code), fault));
  }
});

describe('locations', () => {
  for (const url of ['pix.example.com/x', 'pix.example.com', 'HTTPS://Pix.Example.com/x?y=1#z']) {
    it(`${url} is one`, () => {
      const read = parseBrCode(account(object('25', url)));
      assert.deepEqual([read.kind, read.location], ['dynamic', url]);
    });
  }
  const faultAt = (url: string) => faultOf(account(object('25', url)));
  groups(faultAt, [
    [
      'location',
      'localhost/x',
      'http://pix.example.com/x',
      'javascript:alert(1)//pix.example.com/',
    ],
    ['location', '//pix.example.com/x', 'ana@pix.example.com/x', 'pix.example.com:8080/x'],
    [
      'location',
      'pix.example.com/x y',
      'pix..example.com/x',
      '.example.com/x',
      'píx.example.com/x',
    ],
  ]);
});

describe('kinds', () => {
  const again = recurrence('pix.example.com/rec/2353');
  const onlyGui = { '26': pixTemplate('26') };
  const emptyKey = { '26': pixTemplate('26', '0100', location) };
  const cases: readonly [name: string, changes: object, kind: string, recurring: boolean][] = [
    ['a key', {}, 'static', false],
    ['a key with a recurrence', again, 'static', true],
    ['a location', dynamic, 'dynamic', false],
    ['a location beside an empty key, which is none', emptyKey, 'dynamic', false],
    ['a location with a recurrence', { ...dynamic, ...again }, 'dynamic', true],
    ['a recurrence alone', { ...onlyGui, ...again }, 'recurrence', true],
    ['a recurrence in the last template', recurrence('a.b/rec', '99'), 'static', true],
    ['no recurrence where a template is reserved', recurrence('a.b/rec', '79'), 'static', false],
  ];
  for (const [name, changes, kind, recurring] of cases) {
    it(`${name} is ${kind}`, () => {
      const read = parseBrCode(writeBrCode(changes as Record<string, string>));
      assert.deepEqual([read.kind, read.recurrenceLocation !== null], [kind, recurring]);
      assert.equal(read.key !== null, kind === 'static');
    });
  }
});

describe('what some banks refuse is found', () => {
  maps(findUnusualField, [
    [writeBrCode(), null],
    [` ${writeBrCode()}\n`, null],
    [without('54'), null],
    [set('54', '98'), '54'],
    [set('54', '98.7'), '54'],
    [set('59', 'Pão de Mel'), '59'],
    [set('60', 'São Paulo'), '60'],
    [without('62'), '62'],
    [writeBrCode({ '54': object('54', '98'), '59': object('59', 'Pão'), '62': '' }), '54'],
    [writeBrCode({ '59': object('59', 'Pão'), '60': object('60', 'São Paulo') }), '59'],
    [writeBrCode({ '60': object('60', 'São Paulo'), '62': '' }), '60'],
  ]);
});

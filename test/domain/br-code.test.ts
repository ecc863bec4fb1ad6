/** The BR Code reader against published codes, and against one changed rule at a time. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BrCodeError,
  crc16,
  maxBrCodeLength,
  parseBrCode,
  type BrCodeFault,
} from '../../src/domain/br-code.js';
import vectors from '../support/vectors/br-codes.json' with { type: 'json' };
import { object, pixTemplate, withCrc, writeBrCode } from './br-code-writer.js';

const key = object('01', 'loja@example.com');
const location = object('25', 'pix.example.com/8b3da2f39a41');
const dynamic = { '26': pixTemplate('26', location) };
const withdrawal = { '26': pixTemplate('26', key, object('03', '12345678')) };
const onlyGui = { '26': pixTemplate('26') };
const amount = (text: string) => ({ '54': object('54', text) });
const at = (url: string) => ({ '26': pixTemplate('26', object('25', url)) });

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

describe('published BR Codes', () => {
  for (const { name, payload, expected } of [...vectors.valid, ...vectors.tolerated]) {
    it(`reads ${name}`, () => {
      assert.deepEqual(parseBrCode(payload), { text: payload.trim(), ...expected });
    });
  }

  for (const { name, payload, fault } of vectors.invalid) {
    it(`refuses ${name} for its ${fault}`, () => {
      assert.equal(faultOf(payload), fault);
    });
  }
});

describe('crc16', () => {
  for (const { input, hex } of vectors.crc16) {
    it(`of ${JSON.stringify(input)} is ${hex}`, () => {
      assert.equal(crc16(input), hex);
    });
  }
});

describe('what real codes overrun is tolerated', () => {
  const cases: Record<string, string> = {
    'CRC in lower case': writeBrCode().replace(/....$/, (crc) => crc.toLowerCase()),
    'white space of every kind around': `\ufeff\u00a0 \t${writeBrCode()}\r\n`,
    'a long name': writeBrCode({ '59': object('59', 'N'.repeat(60)) }),
    'a long city': writeBrCode({ '60': object('60', 'Presidente Prudente do Oeste') }),
    'accents, counted once each': writeBrCode({ '59': object('59', 'Pão de Açúcar São João') }),
    'a character outside the basic plane, counted once': writeBrCode({
      '59': object('59', 'Loja 🛒'),
    }),
    'no additional data': writeBrCode({ '62': '' }),
    'additional data without a txid': writeBrCode({ '62': object('62', object('03', 'L1')) }),
    'a long txid': writeBrCode({ '62': object('62', object('05', 'x'.repeat(60))) }),
    'Pix beyond 26': writeBrCode({ '26': '', '51': pixTemplate('51', key) }),
    'GUI after the key': writeBrCode({
      '26': object('26', key + object('00', 'BR.GOV.BCB.PIX')),
    }),
    'another arrangement that is no template': writeBrCode({ '27': object('27', 'zz') }),
    'another unreserved template that is none': writeBrCode({ '80': object('80', 'zz') }),
    'initiation 11': writeBrCode({ '01': object('01', '11') }),
    'the longest code there may be': codeOfLength(maxBrCodeLength),
  };
  for (const [name, code] of Object.entries(cases)) {
    it(name, () => {
      const read = parseBrCode(code);
      assert.equal(read.text, code.trim());
      assert.equal(read.kind, 'static');
      assert.equal(read.amountCents, 1000);
    });
  }
});

describe('amounts', () => {
  const read: readonly [text: string, cents: number][] = [
    ['0.01', 1],
    ['98', 9800],
    ['98.7', 9870],
    ['98.73', 9873],
    ['00.10', 10],
    // 1.15 * 100 is 114.99999999999999: cents never pass through a fraction.
    ['1.15', 115],
    ['9999999999.99', 999_999_999_999],
  ];
  for (const [text, cents] of read) {
    it(`${text} is ${cents} cents`, () => {
      assert.equal(parseBrCode(writeBrCode(amount(text))).amountCents, cents);
    });
  }

  const wrong = '0 0.00 10,00 98. .50 1.000 -1.00 +1.00 1e3 0x10 1R3.45 12345678901.00'.split(' ');
  for (const text of [...wrong, ' 1.00', '١٠.٠٠']) {
    it(`${JSON.stringify(text)} is refused`, () => {
      assert.equal(faultOf(writeBrCode(amount(text))), 'amount');
    });
  }

  it('an empty one is refused', () => {
    assert.equal(faultOf(writeBrCode(amount(''))), 'amount');
  });

  it('a zero is left where the payer or the bank decides', () => {
    assert.equal(parseBrCode(writeBrCode({ ...withdrawal, ...amount('0.00') })).amountCents, 0);
    assert.equal(parseBrCode(writeBrCode({ ...dynamic, ...amount('0.00') })).amountCents, 0);
  });

  it('none is null', () => {
    assert.equal(parseBrCode(writeBrCode({ '54': '' })).amountCents, null);
  });
});

describe('what cannot be paid is refused', () => {
  const cases: readonly [name: string, code: unknown, fault: BrCodeFault][] = [
    ['nothing', undefined, 'not-text'],
    ['a number', 20, 'not-text'],
    ['an object that would throw as text', { toString: null }, 'not-text'],
    ['an empty text', '', 'length'],
    ['white space', ' \n', 'length'],
    ['a code one character too long', codeOfLength(maxBrCodeLength + 1), 'length'],
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
    ['a broken Pix template', writeBrCode({ '26': object('26', '0014br.gov.bcb.pix0199') }), 'tlv'],
    ['broken additional data', writeBrCode({ '62': object('62', '0599') }), 'tlv'],
    ['another format', writeBrCode({ '00': object('00', '02') }), 'payload-format'],
    ['initiation 13', writeBrCode({ '01': object('01', '13') }), 'initiation'],
    ['letters as category', writeBrCode({ '52': object('52', 'abcd') }), 'no-mcc'],
    ['no currency', writeBrCode({ '53': '' }), 'currency'],
    ['another country', writeBrCode({ '58': object('58', 'AR') }), 'country'],
    ['no name', writeBrCode({ '59': '' }), 'no-name'],
    ['a blank name', writeBrCode({ '59': object('59', '  ') }), 'no-name'],
    ['an empty city', writeBrCode({ '60': object('60', '') }), 'no-city'],
    ['no account', writeBrCode({ '26': '' }), 'no-account'],
    [
      'an account outside 26 to 51',
      writeBrCode({ '26': '', '25': pixTemplate('25', key) }),
      'no-account',
    ],
    [
      'an account that is another arrangement',
      writeBrCode({ '26': object('26', object('00', 'br.com.outro') + key) }),
      'no-account',
    ],
    [
      'a GUI only mentioned',
      writeBrCode({ '26': object('26', object('02', 'br.gov.bcb.pix') + key) }),
      'no-account',
    ],
    ['an empty key', writeBrCode({ '26': pixTemplate('26', '0100') }), 'no-account'],
    ['two accounts', writeBrCode({ '27': pixTemplate('27', key) }), 'several-accounts'],
    [
      'key and location',
      writeBrCode({ '26': pixTemplate('26', key, location) }),
      'key-and-location',
    ],
    [
      'a withdrawal with a location',
      writeBrCode({ '26': pixTemplate('26', object('03', '12345678'), location) }),
      'key-and-location',
    ],
    [
      'a bad recurrence location',
      writeBrCode({ '80': pixTemplate('80', object('25', 'rec')) }),
      'location',
    ],
  ];
  for (const [name, code, fault] of cases) {
    it(`${name}: ${fault}`, () => {
      assert.equal(faultOf(code), fault);
    });
  }
});

describe('locations', () => {
  const good = ['pix.example.com/x', 'pix.example.com', 'HTTPS://Pix.Example.com/x?y=1#z'];
  for (const url of good) {
    it(`${url} is one`, () => {
      const read = parseBrCode(writeBrCode(at(url)));
      assert.equal(read.kind, 'dynamic');
      assert.equal(read.location, url);
    });
  }

  const bad = [
    'localhost/x',
    'http://pix.example.com/x',
    'javascript:alert(1)//pix.example.com/',
    '//pix.example.com/x',
    'ana@pix.example.com/x',
    'pix.example.com:8080/x',
    'pix.example.com/x y',
    'pix..example.com/x',
    '.example.com/x',
    'píx.example.com/x',
  ];
  for (const url of bad) {
    it(`${url} is none`, () => {
      assert.equal(faultOf(writeBrCode(at(url))), 'location');
    });
  }
});

describe('kinds', () => {
  const recurrence = { '80': pixTemplate('80', object('25', 'pix.example.com/rec/2353')) };
  const cases: readonly [name: string, code: string, kind: string, recurring: boolean][] = [
    ['a key', writeBrCode(), 'static', false],
    ['a key with a recurrence', writeBrCode(recurrence), 'static', true],
    ['a location', writeBrCode(dynamic), 'dynamic', false],
    ['a location with a recurrence', writeBrCode({ ...dynamic, ...recurrence }), 'dynamic', true],
    ['a recurrence alone', writeBrCode({ ...onlyGui, ...recurrence }), 'recurrence', true],
    [
      'a recurrence in the last template',
      writeBrCode({ '99': pixTemplate('99', object('25', 'a.b/rec')) }),
      'static',
      true,
    ],
  ];
  for (const [name, code, kind, recurring] of cases) {
    it(`${name} is ${kind}`, () => {
      const read = parseBrCode(code);
      assert.equal(read.kind, kind);
      assert.equal(read.recurrenceLocation !== null, recurring);
    });
  }
});

it('an empty key beside a location is none', () => {
  const read = parseBrCode(writeBrCode({ '26': pixTemplate('26', '0100', location) }));
  assert.equal(read.key, null);
  assert.equal(read.kind, 'dynamic');
});

it('an error never holds the code', () => {
  for (const { payload } of vectors.invalid) {
    assert.throws(
      () => parseBrCode(payload),
      (error: Error) => !`${error.message}${JSON.stringify(error)}`.includes(payload.slice(4, 20)),
    );
  }
});

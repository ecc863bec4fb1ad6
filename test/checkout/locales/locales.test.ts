/** The words: all there in three languages, exactly as designed in pt-BR, and chosen as the page asks. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseMessages,
  fetchMessages,
  isSpoken,
  locales,
  nearestLocale,
} from '../../../src/checkout/locales/choose-messages.js';
import {
  formatClock,
  formatDeadline,
  formatMoment,
  formatMoney,
} from '../../../src/checkout/locales/format.js';
import type { Locale } from '../../../src/checkout/locales/choose-messages.js';
import type { Messages, TextOverrides } from '../../../src/checkout/locales/messages.js';
import { errorCodes } from '../../../src/contract/codes.js';

/** Said before the others are fetched, which stay for all that comes after. */
const others = locales.filter((locale) => locale !== 'pt-BR');
const before = others.map((locale) => [isSpoken(locale), chooseMessages(locale).retry]);
await Promise.all(others.map(fetchMessages));

/** Every text of a language by its path; functions are called with words that must come out again. */
function textsOf(group: object, path = ''): [string, string][] {
  return Object.entries(group).flatMap(([name, entry]: [string, unknown]): [string, string][] => {
    const here = `${path}${name}`;
    if (typeof entry === 'string') return [[here, entry]];
    if (typeof entry === 'function') {
      return [[here, (entry as (...given: unknown[]) => string)('{one}', '{two}')]];
    }
    return textsOf(entry as object, `${here}.`);
  });
}

describe('languages', () => {
  const ours = new Map(textsOf(chooseMessages('pt-BR')));

  for (const locale of locales) {
    const texts = textsOf(chooseMessages(locale));

    it(`${locale} says everything`, () => {
      assert.deepEqual(texts.map(([path]) => path).toSorted(), [...ours.keys()].toSorted());
      for (const [path, text] of texts) {
        assert.match(text, /\p{L}/u, path);
        assert.equal(text, text.trim(), path);
        assert.doesNotMatch(text, /undefined|null|PIX|\s{2}|!/, path);
      }
    });

    it(`${locale} puts every given word in`, () => {
      for (const [path, text] of texts) {
        for (const word of ['{one}', '{two}']) {
          assert.equal(text.includes(word), ours.get(path)?.includes(word), `${path}: ${word}`);
        }
      }
      assert.ok(chooseMessages(locale).paid('R$ 1').includes('R$ 1'));
    });

    it(`${locale} has words for every code of the contract`, () => {
      for (const code of Object.keys(errorCodes)) {
        assert.ok(code in chooseMessages(locale).errors, code);
      }
    });

    it(`${locale} leaves out what is not known`, () => {
      const { confirming, qrName } = chooseMessages(locale);
      assert.doesNotMatch(confirming(''), /pedido|order/i);
      assert.match(confirming('A-1'), /A-1\.$/);
      assert.doesNotMatch(qrName('R$ 1', ''), /para|to$/);
    });

    it(`${locale} never asks to pay again while an outcome is open`, () => {
      const { errors, confirming, expired, notYet } = chooseMessages(locale);
      const open = [errors.outcome_unknown, errors.reference_mismatch, errors.not_found];
      for (const text of [...open, errors.order_paid, confirming(''), expired, notYet]) {
        assert.match(text, /não pague de novo|do not pay again|no pague de nuevo/i, text);
      }
    });
  }

  it('the languages differ', () => {
    const same = textsOf(chooseMessages('en')).filter(([path, text]) => ours.get(path) === text);
    // Terms of the bank app, and the name of the arrangement.
    assert.deepEqual(same.map(([path]) => path).toSorted(), ['code', 'pix']);
  });

  it('pt-BR says what was designed', () => {
    const said = chooseMessages('pt-BR');
    const designed: readonly (readonly [string | undefined, string])[] = [
      [said.generate, 'Gerar código Pix'],
      [said.copy, 'Copiar código Pix'],
      [said.copied, 'Código copiado. Agora abra o app do seu banco.'],
      [said.copyFailed, 'Não deu para copiar. Toque e segure o código e escolha Copiar.'],
      [
        said.steps[2],
        'No app do banco, escolha Pix Copia e Cola, confira nome e valor e pague. Depois volte aqui.',
      ],
      [said.waiting, 'Aguardando seu pagamento. Esta página se atualiza sozinha.'],
      [said.notYet, 'Ainda não recebemos a confirmação. Se você já pagou, não pague de novo.'],
      [
        said.expired,
        'O prazo deste código acabou. Se já pagou, não pague de novo: continuamos conferindo.',
      ],
      [
        said.confirming('1042'),
        'Estamos confirmando seu pagamento. Não pague de novo. Pedido 1042.',
      ],
      [said.paid('R$ 1,00'), 'Pagamento confirmado. Recebemos R$ 1,00.'],
      [
        said.errors.payment_refused,
        'Pagamento não aprovado. Confira os dados, use outro cartão ou pague com Pix.',
      ],
      [
        said.errors.unauthorized,
        'Esta página está desatualizada. Recarregue-a ou fale com a loja.',
      ],
      [said.errors.amount_mismatch, 'O valor do pedido mudou. Recarregue a página antes de pagar.'],
      [said.payUntil('14:32'), 'Pague até 14:32'],
      [said.qrName('R$ 100,50', 'NOME'), 'QR Code Pix de R$ 100,50 para NOME'],
      [said.receiptNote, 'O comprovante está no app do seu banco.'],
      [said.qrTitle, 'Pagar com outro aparelho'],
      [said.alreadyPaid, 'Já paguei'],
      [said.trouble, 'O código não funcionou?'],
      [said.letters, 'CNPJ com letras'],
      [said.checking, 'Conferindo…'],
    ];
    for (const [text, words] of designed) assert.equal(text, words);
  });
});

describe('a language with a file of its own', () => {
  it('is pt-BR until it has been fetched', () => {
    const { retry } = chooseMessages('pt-BR');
    assert.deepEqual(before, [
      [false, retry],
      [false, retry],
    ]);
    for (const locale of others) {
      assert.ok(isSpoken(locale));
      assert.notEqual(chooseMessages(locale).retry, retry);
    }
  });

  it('is fetched once', () => assert.equal(fetchMessages('es'), fetchMessages('es')));
});

describe('chooseMessages', () => {
  it('takes single texts of the page and keeps the rest', () => {
    const texts = chooseMessages('pt-BR', {
      generate: 'Pagar agora',
      fields: { name: 'Comprador' },
      errors: { network: 'Sem rede.' },
    });
    const ours: Messages = chooseMessages('pt-BR');
    assert.equal(texts.generate, 'Pagar agora');
    assert.equal(texts.fields.name, 'Comprador');
    assert.equal(texts.errors.network, 'Sem rede.');
    assert.equal(texts.copy, ours.copy);
    assert.equal(texts.fields.email, ours.fields.email);
    assert.equal(texts.errors.order_paid, ours.errors.order_paid);
  });

  it('copies no table of texts twice', () => {
    const own: TextOverrides = { generate: 'Pagar agora' };
    assert.equal(chooseMessages('pt-BR'), chooseMessages('pt-BR', null));
    assert.equal(chooseMessages('pt-BR', own), chooseMessages('pt-BR', own));
    assert.equal(chooseMessages('es', own).retry, chooseMessages('es').retry);
  });
});

describe('chooseMessages, given rubbish', () => {
  const rubbish: readonly (readonly [string, unknown])[] = [
    ['a function where a text belongs', { copy: () => 'x' }],
    ['a text where a function belongs', { paid: 'x' }],
    ['a number', { copy: 7 }],
    ['a text where a group belongs', { errors: 'x' }],
    ['one step that is a text', { steps: 'x' }],
    ['nothing', { copy: null }],
  ];
  for (const [what, own] of rubbish) {
    it(`leaves ${what} out and says so`, () => {
      const warnings: string[] = [];
      const texts = chooseMessages('pt-BR', own as TextOverrides, (text) => warnings.push(text));
      assert.deepEqual(textsOf(texts), textsOf(chooseMessages('pt-BR')));
      assert.ok(warnings.length > 0);
    });
  }
});

describe('nearestLocale', () => {
  const cases: readonly (readonly [unknown, Locale | null])[] = [
    ['pt-BR', 'pt-BR'],
    ['pt', 'pt-BR'],
    ['PT-pt', 'pt-BR'],
    ['en-US', 'en'],
    ['es_419', 'es'],
    [' es ', 'es'],
    ['fr', null],
    ['english', null],
    ['', null],
    [7, null],
    [null, null],
    [undefined, null],
  ];
  for (const [tag, locale] of cases) {
    it(`${JSON.stringify(tag)} is ${locale}`, () => assert.equal(nearestLocale(tag), locale));
  }
});

describe('formats', () => {
  const intl = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

  it('amounts are reais as Intl writes them, for a million values', () => {
    const check = (cents: number) => {
      if (formatMoney(cents) !== intl.format(cents / 100)) assert.fail(`${cents} cents`);
    };
    for (let cents = 0; cents < 200_000; cents++) check(cents);
    // Steps without a common factor: every length up to a hundred million reais, and discounts.
    for (let cents = -10_000_000_000; cents < 10_000_000_000; cents += 24_989) check(cents);
  });

  it('the clock shows minutes and two digits of seconds', () => {
    assert.equal(formatClock(600), '10:00');
    assert.equal(formatClock(65), '1:05');
    assert.equal(formatClock(0), '0:00');
  });

  const at = (hours: number) => new Date(2026, 10, 2, hours, 5);
  const moment = '2026-11-02T14:05:31.120';
  for (const [what, written, expected] of [
    ['a deadline soon', formatDeadline(at(14), 43_200, 'pt-BR'), '14:05'],
    ['a deadline far away', formatDeadline(at(9), 43_201, 'pt-BR'), '02/11, 09:05'],
    ['a deadline far away', formatDeadline(at(9), 86_400, 'es'), '02/11, 09:05'],
    ['a deadline soon', formatDeadline(at(14), 600, 'en'), '2:05 PM'],
    ['a deadline at midnight', formatDeadline(at(0), 600, 'en'), '12:05 AM'],
    ['a deadline at noon', formatDeadline(at(12), 86_400, 'en'), '11/02, 12:05 PM'],
    ['a moment', formatMoment(moment, 'pt-BR'), '02/11/2026, 14:05'],
    ['a moment', formatMoment(moment, 'es'), '02/11/2026, 14:05'],
    ['a moment', formatMoment(moment, 'en'), '11/02/2026, 2:05 PM'],
    ['no moment', formatMoment('', 'pt-BR'), ''],
    ['no moment', formatMoment('yesterday', 'pt-BR'), ''],
  ] as const) {
    it(`${what}: "${expected}"`, () => assert.equal(written, expected));
  }
});

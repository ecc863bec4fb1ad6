/** The words: all there in three languages, exactly as designed in pt-BR, and chosen as the page asks. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  chooseMessages,
  fetchMessages,
  hasMessages,
  locales,
  nearestLocale,
  formatClock,
  formatDeadline,
  formatMoment,
  formatMoney,
} from '../../../src/checkout/locales/choose-messages.js';
import { cardLanguages } from '../../../src/checkout/card/card-languages.js';
import * as besideEn from '../../../src/checkout/locales/outside-element/en.js';
import * as besideEs from '../../../src/checkout/locales/outside-element/es.js';
import * as besidePtBr from '../../../src/checkout/locales/outside-element/pt-br.js';
import type { Locale } from '../../../src/checkout/locales/choose-messages.js';
import type { TextOverrides } from '../../../src/checkout/locales/pt-br.js';
import { errorCodes } from '../../../src/contract/codes.js';
import { groups, maps } from '../../support/tables.js';
import { column } from '../../support/rows.js';

/** Said before the others are fetched, which stay for all that comes after. */
const others = locales.filter((locale) => locale !== 'pt-BR');
const before = others.map((locale) => [hasMessages(locale), chooseMessages(locale).retry]);
await Promise.all(others.map((locale) => fetchMessages(locale)));

/** Every text of a language by its path; functions are called with words that must come out again, or with numbers. */
function textsOf(
  group: object,
  given: unknown[] = ['{one}', '{two}'],
  path = '',
): [string, string][] {
  return Object.entries(group).flatMap(([name, entry]: [string, unknown]): [string, string][] => {
    const here = `${path}${name}`;
    if (typeof entry === 'string') return [[here, entry]];
    if (typeof entry === 'function') {
      return [[here, (entry as (...given: unknown[]) => string)(...given)]];
    }
    return textsOf(entry as object, given, `${here}.`);
  });
}

/** What loads apart from the element, by the language. The pictures are no words. */
const beside = Object.fromEntries(
  Object.entries({ 'pt-BR': besidePtBr, en: besideEn, es: besideEs }).map(
    ([locale, { qrEndings: _pictures, ...words }]) => [locale as Locale, words],
  ),
) as Record<Locale, object>;

/** Words that tell how long something takes, or when it happens. */
const times: Record<Locale, RegExp> = {
  'pt-BR':
    /\b(segundos?|minutos?|horas?|dias?|instantes?|momentos?|logo|breve|costuma\w*|geralmente)\b/i,
  en: /\b(seconds?|minutes?|hours?|days?|moments?|soon|shortly|usually|generally)\b/i,
  es: /\b(segundos?|minutos?|horas?|días?|instantes?|momentos?|pronto|suele\w*|generalmente)\b/i,
};

describe('languages', () => {
  const ours = new Map(textsOf(chooseMessages('pt-BR')));

  for (const locale of locales) {
    const texts = textsOf(chooseMessages(locale));

    it(`${locale} says everything, with every given word, and has words for every code`, () => {
      assert.deepEqual(texts.map(([path]) => path).toSorted(), [...ours.keys()].toSorted());
      for (const [path, text] of texts) {
        assert.match(text, /\p{L}/u, path);
        assert.equal(text, text.trim(), path);
        assert.doesNotMatch(text, /undefined|null|PIX|\s{2}|!/, path);
        for (const word of ['{one}', '{two}']) {
          assert.equal(text.includes(word), ours.get(path)?.includes(word), `${path}: ${word}`);
        }
      }
      const { paid, errors } = chooseMessages(locale);
      assert.ok(paid('R$ 1').includes('R$ 1'));
      for (const code of Object.keys(errorCodes)) assert.ok(code in errors, code);
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

    it(`${locale} gives no time but one that it is given`, () => {
      for (const [path, text] of [...texts, ...textsOf(beside[locale])]) {
        if (!text.includes('{one}')) assert.doesNotMatch(text, times[locale], path);
      }
    });
  }

  it('the languages differ', () => {
    const same = textsOf(chooseMessages('en')).filter(([path, text]) => ours.get(path) === text);
    // Terms of the bank app, the name of the arrangement, and what is said alike.
    assert.deepEqual(same.map(([path]) => path).toSorted(), ['code', 'payByPix', 'pix', 'total']);
  });

  it('pt-BR says what was designed', () => {
    const designed = {
      generate: 'Gerar código Pix',
      copy: 'Copiar código Pix',
      copied: 'Código copiado. Agora abra o app do seu banco.',
      copyFailed: 'Não deu para copiar. Toque e segure o código e escolha Copiar.',
      'steps.2': 'Escolha Pix Copia e Cola, confira nome e valor e pague. Depois volte aqui.',
      waiting: 'Aguardando seu pagamento. Esta página se atualiza sozinha.',
      notYet: 'Ainda não recebemos. Se já pagou, não pague de novo.',
      expired: 'O código Pix expirou. Se já pagou, não pague de novo: continuamos conferindo.',
      confirming: 'Estamos confirmando seu pagamento. Não pague de novo. Pedido {one}.',
      paid: 'Pagamento confirmado. Recebemos {one}.',
      returned: 'Pagamento devolvido.',
      'errors.payment_refused': 'Pagamento não aprovado.',
      otherCard: 'Confira os dados ou use outro cartão.',
      copyWithKeys: 'Não deu para copiar. O código está selecionado: pressione {one}.',
      'scanSteps.1': 'Escolha Pix e depois Ler QR Code.',
      confirmingNote: 'Pode fechar a página: continuamos conferindo.',
      'missing.name': 'Digite seu nome completo.',
      'errors.invalid_code': 'Não foi possível gerar um código Pix válido.',
      'errors.unauthorized':
        'Esta página está desatualizada. Recarregue para continuar ou fale com a loja.',
      'errors.amount_mismatch': 'O valor do pedido mudou. Recarregue a página antes de pagar.',
      payUntil: 'Pague até {one}',
      qrName: 'QR Code Pix de {one} para {two}',
      receiptNote: 'O comprovante está no app do seu banco.',
      qrTitle: 'Pagar com outro aparelho',
      alreadyPaid: 'Já paguei',
      trouble: 'O código não funcionou?',
      letters: 'Meu CNPJ tem letras',
      checking: 'Conferindo…',
    };
    for (const [path, words] of Object.entries(designed)) assert.equal(ours.get(path), words, path);
  });
});

describe('the card form', () => {
  const numbers = [1, 1, 1, 1];

  it('speaks every language of the element', () => {
    assert.deepEqual(Object.keys(cardLanguages), locales);
  });

  for (const [locale, messages] of Object.entries(cardLanguages)) {
    it(`says in ${locale} what it says in pt-BR, and ends what is to be done, alone, with a full stop`, () => {
      const texts = textsOf(messages, numbers);
      assert.deepEqual(column(texts, 0), column(textsOf(besidePtBr.card, numbers), 0));
      for (const [path, text] of texts) {
        assert.match(text, /\S/, path);
        assert.doesNotMatch(text, /undefined|\bPIX\b| {2}|^\s|\s$/, path);
        const isFault = /^(missing|invalid|faults|notAccepted|codeAgain)/.test(path);
        assert.equal(text.endsWith('.'), isFault, path);
      }
    });
  }
});

describe('Spanish', () => {
  const { payUntil } = chooseMessages('es');
  maps(payUntil, [
    ['23:12', 'Pague antes de las 23:12'],
    ['01:45 (Brasília)', 'Pague antes de la 01:45 (Brasília)'],
    ['02/11, 09:05', 'Pague antes del 02/11, 09:05'],
  ]);
});

it('a language with a file of its own is pt-BR until it has been fetched', async () => {
  const { retry } = chooseMessages('pt-BR');
  for (const [at, locale] of others.entries()) {
    assert.deepEqual(before[at], [false, retry]);
    assert.ok(hasMessages(locale));
    assert.notEqual(chooseMessages(locale).retry, retry);
    await fetchMessages(locale);
  }
});

describe('chooseMessages', () => {
  it('takes single texts of the page and keeps the rest', () => {
    const generate = 'Pagar agora';
    const own = { generate, fields: { name: 'Comprador' }, errors: { network: 'Sem rede.' } };
    const ours = chooseMessages('pt-BR');
    const expected = new Map(textsOf(ours)).set('generate', generate);
    expected.set('fields.name', 'Comprador').set('errors.network', 'Sem rede.');
    assert.deepEqual(new Map(textsOf(chooseMessages('pt-BR', own))), expected);
  });

  it('copies no table of texts twice', () => {
    const own: TextOverrides = { generate: 'Pagar agora' };
    assert.equal(chooseMessages('pt-BR'), chooseMessages('pt-BR', null));
    assert.equal(chooseMessages('pt-BR', own), chooseMessages('pt-BR', own));
    assert.equal(chooseMessages('es', own).retry, chooseMessages('es').retry);
  });
});

for (const [what, own] of [
  ['a function where a text belongs', { copy: () => 'x' }],
  ['a text where a function belongs', { paid: 'x' }],
  ['a number', { copy: 7 }],
  ['a text where a group belongs', { errors: 'x' }],
  ['one step that is a text', { steps: 'x' }],
  ['nothing', { copy: null }],
] satisfies [string, unknown][]) {
  it(`chooseMessages, given rubbish leaves ${what} out and says so`, () => {
    const warnings: string[] = [];
    const texts = chooseMessages('pt-BR', own as unknown as TextOverrides, (text) =>
      warnings.push(text),
    );
    assert.deepEqual(textsOf(texts), textsOf(chooseMessages('pt-BR')));
    assert.ok(warnings.length > 0);
  });
}

describe('nearestLocale', () => {
  groups(nearestLocale, [
    ['pt-BR', 'pt-BR', 'pt', 'PT-pt'],
    ['en', 'en-US'],
    ['es', 'es_419', ' es '],
    [null, 'fr', 'english', '', 7, null, undefined],
  ]);
});

describe('formats', () => {
  const intl = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

  it('amounts are reais as Intl writes them, for a hundred thousand values', () => {
    const check = (cents: number) => {
      // A discount has a minus sign, not a hyphen.
      const written = intl.format(cents / 100).replace('-', '−');
      if (formatMoney(cents) !== written) assert.fail(`${cents} cents`);
    };
    for (let cents = 0; cents < 20_000; cents++) check(cents);
    // Steps without a common factor: every length up to a hundred million reais, and discounts.
    for (let cents = -10_000_000_000; cents < 10_000_000_000; cents += 249_989) check(cents);
  });

  maps(formatClock, [
    [600, '10:00'],
    [65, '1:05'],
    [60, '1:00'],
    [13, '13\u00a0s'],
    [0, '0\u00a0s'],
  ]);

  const at = (hours: number) => new Date(2026, 10, 2, hours, 5);
  const moment = '2026-11-02T14:05:31.120';
  const deadline = (hours: number, secondsLeft: number, locale: Locale) =>
    formatDeadline(at(hours), secondsLeft, locale);
  maps(deadline, [
    [14, 43_200, 'pt-BR', '14:05'],
    [9, 43_201, 'pt-BR', '02/11, 09:05'],
    [9, 86_400, 'es', '02/11, 09:05'],
    [14, 600, 'en', '2:05 PM'],
    [0, 600, 'en', '12:05 AM'],
    [12, 86_400, 'en', 'Nov 2, 12:05 PM'],
  ]);
  maps(formatMoment, [
    [moment, 'pt-BR', '02/11/2026 às 14:05'],
    [moment, 'es', '02/11/2026 a las 14:05'],
    [moment, 'en', 'Nov 2, 2026 at 2:05 PM'],
    ['', 'pt-BR', ''],
    ['yesterday', 'pt-BR', ''],
  ]);
});

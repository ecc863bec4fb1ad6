/** The picture of a Pix code that a server draws: what it holds, what it refuses, and that no value leaves its place. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { html, nothing, svg } from 'lit';
import { renderInvoice } from '../../../src/html.js';
import type { CreatedInvoice, RenderOptions } from '../../../src/html.js';
import { toText } from '../../../src/checkout/html/template-text.js';
import { en } from '../../../src/checkout/locales/en.js';
import { es } from '../../../src/checkout/locales/es.js';
import { ptBr } from '../../../src/checkout/locales/pt-br.js';
import { anyText, holds } from '../../support/tables.js';
import { toPixCode } from '../../support/pix-code.js';

const code = toPixCode({ totalCents: 13_990 });

const invoice: CreatedInvoice = {
  invoice_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  order_code: 'PED-1042',
  external_id: '1042',
  status: 'pending',
  total_cents: 13_990,
  qr_code_pix: code,
  lookup_token: 'v1.a-capability.of-one-order',
};

describe('renderInvoice', () => {
  for (const [locale, texts] of [
    ['pt-BR', ptBr],
    ['en', en],
    ['es', es],
  ] as const) {
    it(`shows amount, order, steps, code and QR in ${locale}`, () => {
      const text = renderInvoice(invoice, { locale });
      for (const expected of [
        `lang="${locale}"`,
        'R$\u00a0139,90</p>',
        texts.order('1042'),
        ...texts.steps.map((step) => `<li>${step}</li>`),
        `>${code}</textarea>`,
        '<svg\npart="qr"',
        '<a class="secondary" href="">',
      ]) {
        assert.ok(text.includes(expected), expected);
      }
    });
  }

  it('holds no script, no inline style, no handler and no capability', () => {
    const text = renderInvoice(invoice);
    assert.doesNotMatch(text, /<script|style=|\son\w+=|@click|v1\.a-capability/);
  });

  it('shows the discount, the order and the receiver that the element would show', () => {
    const text = renderInvoice(invoice, {
      totalPriceCents: 14_670,
      pixTotalPriceCents: 13_990,
      receiverName: 'Café da Serra',
      items: [{ name: 'Bourbon', quantity: 2, unit_price: 3_490 }],
      lines: [{ label: 'Frete', cents: 1_490 }],
    });
    for (const expected of ['R$\u00a06,80', 'Café da Serra', '2 × Bourbon', 'Frete']) {
      assert.ok(text.includes(expected), expected);
    }
  });

  it('names the deadline in the time of Brasília, wherever the server stands', () => {
    const now = () => Date.UTC(2026, 10, 22, 17, 2);
    const text = renderInvoice({ ...invoice, expires_in: 1_800 }, { now });
    assert.match(text, /Pague até 14:32 \(Brasília\)/);
    assert.match(text, /class="paper">Pague até 22\/11, 14:32 \(Brasília\)/, 'on paper');
    assert.doesNotMatch(renderInvoice(invoice, { now }), /Brasília/);
  });

  it('names that time through a change of the server’s own clock', () => {
    const zone = process.env['TZ'];
    try {
      process.env['TZ'] = 'Europe/Lisbon';
      const now = () => Date.UTC(2026, 2, 29, 4, 15);
      const text = renderInvoice({ ...invoice, expires_in: 1_800 }, { now });
      assert.match(text, /Pague até 01:45 \(Brasília\)/);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  const silent: [why: string, data: Partial<CreatedInvoice>, options?: RenderOptions][] = [
    ['it is paid', { status: 'paid' }],
    ['its time is over', { expires_in: 0 }],
    ['its code is broken', { qr_code_pix: `${code.slice(0, -1)}0` }],
    ['its total is not what the page says', {}, { totalPriceCents: 1 }],
  ];
  for (const [why, data, options] of silent) {
    it(`leaves the word to the element where ${why}`, () => {
      assert.equal(renderInvoice({ ...invoice, ...data }, options), '');
    });
  }

  it('draws placeholder codes where that is allowed, marked as a test', () => {
    const placeholder = { ...invoice, qr_code_pix: 'not a code' };
    assert.equal(renderInvoice(placeholder), '');
    assert.ok(renderInvoice(placeholder, { allowUnverifiedCode: true }).includes(ptBr.test));
  });

  const wrong: [data: unknown, options: unknown, message: RegExp][] = [
    [null, {}, /data/],
    [{ ...invoice, total_cents: '1' }, {}, /total_cents/],
    [invoice, { locale: 'fr' }, /locale must be pt-BR, en, es/],
    [invoice, { locale: 'toString' }, /locale must be/],
    [invoice, { totalPriceCents: 1.5 }, /total-price-cents/],
    [invoice, { items: [{}] }, /items/],
  ];
  for (const [data, options, message] of wrong) {
    it(`throws a TypeError that says ${message.source}`, () => {
      const render = () => renderInvoice(data as CreatedInvoice, options as RenderOptions);
      assert.throws(
        render,
        (thrown) => thrown instanceof TypeError && message.test(thrown.message),
      );
    });
  }

  const plain = structureOf(renderInvoice(invoice, wordsOf('plain')));
  const any = anyText({ maxLength: 30 });
  holds('keeps every value in its place', 400, any, (text) => {
    // Empty and blank words are left out by the element, too.
    fc.pre(text.trim() !== '');
    assert.deepEqual(structureOf(renderInvoice(invoice, wordsOf(`${text}"'<i>&`))), plain);
  });
});

const cases: [name: string, template: unknown, text: string][] = [
  ['escapes content', html`<p>${'<&>"\''}</p>`, '<p>&lt;&amp;&gt;&quot;&#39;</p>'],
  ['quotes an attribute', html`<p title=${'a b"c'}></p>`, '<p title="a b&quot;c"></p>'],
  ['fills a quoted attribute', html`<p class="a ${'b"'}"></p>`, '<p class="a b&quot;"></p>'],
  ['sets a boolean attribute', html`<p ?hidden=${true} ?inert=${false}></p>`, '<p hidden></p>'],
  ['leaves handlers out', html`<b @click=${() => 1} part="x">y</b>`, '<b part="x">y</b>'],
  [
    'writes a text box',
    html`<textarea .defaultValue=${'<a>'}></textarea>`,
    '<textarea>&lt;a&gt;</textarea>',
  ],
  [
    'nests templates and lists',
    html`${[html`<b>${1}</b>`, svg`<i></i>`, 'x']}`,
    '<b>1</b><i></i>x',
  ],
  ['writes nothing for nothing', html`${nothing}${null}${undefined}${false}${''}`, ''],
  ['prefixes ids', html`<label for="code"></label>`, '<label for="pix-code"></label>'],
];
for (const [name, template, text] of cases) {
  it(`a template as text ${name}`, () => assert.equal(toText(template), text));
}

function wordsOf(text: string): RenderOptions {
  return {
    receiverName: text,
    items: [{ name: text, description: text, quantity: 1, unit_price: 1 }],
    lines: [{ label: text, cents: 1 }],
  };
}

/** Tags and the names of their attributes: what a browser would make of it, without the values. */
function structureOf(text: string): string[] {
  const tags = text.match(/<[^>]*>/g) ?? [];
  return tags.map((tag) => tag.replace(/"[^"]*"/g, '""'));
}

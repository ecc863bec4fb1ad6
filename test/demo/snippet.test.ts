/** The code that the playground writes for a page. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { readOptions } from '../../demo/qa/options.js';
import { toSnippet } from '../../demo/qa/snippet.js';

const optionsOf = (query: string) => readOptions(new URLSearchParams(query));
const plain = { texts: null, installments: null, tokenizeCard: null };

it('the snippet holds what the page says, but nothing of one order', () => {
  const attributes = Object.entries({
    endpoint: '/pix',
    'order-token': 'v1.secret',
    'payer-fields': '',
    'auto-start': '',
    'receiver-name': 'Café & "Cia"',
    style: '--pix-radius: 3px',
  }).map(([name, value]) => ({ name, value }));
  const options = optionsOf('theme=dark&--pix-radius=3px&slot-header=<b>Oi</b>');
  const sample = { ...plain, attributes, texts: { copy: 'Copiar' } };
  assert.equal(
    toSnippet(sample, options, '/themes/bank.css'),
    `<link rel="stylesheet" href="/themes/bank.css">

/* in your style sheet */
:root {
  color-scheme: dark;
}
pix-checkout {
  --pix-radius: 3px;
}

<pix-checkout
  endpoint="/pix"
  order-token="…"
  payer-fields=""
  auto-start
  receiver-name="Café &amp; &quot;Cia&quot;"
>
  <p slot="header">&lt;b>Oi&lt;/b></p>
</pix-checkout>

<script type="module">
const checkout = document.querySelector('pix-checkout');
checkout.texts = {
  "copy": "Copiar"
};
</script>`,
  );
});

it('the snippet of a plain page is the element alone', () => {
  const attributes = [{ name: 'endpoint', value: '/pix' }];
  assert.equal(
    toSnippet({ ...plain, attributes }, optionsOf(''), ''),
    '<pix-checkout\n  endpoint="/pix"\n>\n</pix-checkout>',
  );
});

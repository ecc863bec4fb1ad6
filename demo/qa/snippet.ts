/** The code by which a page gets what the playground shows: markup, script, style sheet. */

import { html, render } from 'lit';
import type { PixCheckout } from '../../src/index.js';
import type { OptionName, Options } from './options.js';
import { optionGroups } from './option-groups.js';

/** Attributes whose values belong to one order: your server writes them. */
const ordersOwn = ['order-token', 'external-id', 'total-price-cents', 'pix-total-price-cents'];

/** What {@link toSnippet} reads of an element. */
export type Sample = Pick<PixCheckout, 'texts' | 'installments' | 'tokenizeCard'> & {
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
};

/** @param theme address of the shop's style sheet; empty: none */
export function toSnippet(sample: Sample, options: Options, theme: string): string {
  return [
    theme && `<link rel="stylesheet" href="${theme}">`,
    toStyles(options),
    toMarkup(sample, options),
    toScript(sample),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function toStyles(options: Options): string {
  const set = Object.keys(optionGroups['Looks: custom properties'])
    .map((name) => [name, options[name as OptionName]] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${name}: ${value};\n`);
  const rules = [
    options.theme && `:root {\n  color-scheme: ${options.theme};\n}`,
    set.length > 0 && `pix-checkout {\n${set.join('')}}`,
  ].filter(Boolean);
  return rules.length === 0 ? '' : `/* in your style sheet */\n${rules.join('\n')}`;
}

function toMarkup({ attributes }: Sample, options: Options): string {
  const written = attributes
    .filter(({ name }) => name !== 'style')
    .map(({ name, value }) => {
      if (ordersOwn.includes(name)) return `\n  ${name}="…"`;
      return value === '' && name !== 'payer-fields'
        ? `\n  ${name}`
        : `\n  ${name}="${escape(value)}"`;
    });
  const slots = (['header', 'paid', 'support', 'footer'] as const)
    .map((slot) => [slot, options[`slot-${slot}`]] as const)
    .filter(([, words]) => words !== '')
    .map(([slot, words]) => `  <p slot="${slot}">${escape(words)}</p>\n`);
  return `<pix-checkout${written.join('')}\n>\n${slots.join('')}</pix-checkout>`;
}

function toScript({ texts, installments, tokenizeCard }: Sample): string {
  const set = [
    texts && `checkout.texts = ${JSON.stringify(texts, null, 2)};`,
    installments && 'checkout.installments = […]; // from your server',
    tokenizeCard && 'checkout.tokenizeCard = async (card) => ({ token: … }); // your provider',
  ].filter(Boolean);
  return set.length === 0
    ? ''
    : `<script type="module">\nconst checkout = document.querySelector('pix-checkout');\n${set.join('\n')}\n</script>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Shows the code, to be copied. */
export function showSnippet(container: HTMLElement, snippet: string): void {
  render(
    html`<header>
        <h3>Snippet</h3>
        <button type="button" @click=${() => void navigator.clipboard.writeText(snippet)}>
          Copy
        </button>
      </header>
      <pre tabindex="0" aria-label="Snippet">${snippet}</pre>`,
    container,
  );
}

/**
 * What a merchant's editor says of the element: a page in TypeScript, compiled strictly against the built package.
 * Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { listDocuments } from '../tools/docs/doc-tables.js';
import { compileAsShop } from '../support/shop-types.js';
import { root } from '../tools/tools.js';

const documents = listDocuments()
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

const hidden = 'environment order warn stateChanged createRequest prepareCard chargeRequest'.split(
  ' ',
);

/** What a page may write, and may not, by what the types do then. */
const pages = () => ({
  'let the documents take a card': `
    declare const provider: {
      tokenize(card: unknown): Promise<{ id: string; threeDSecure: { cavv: string } }>;
    };
    ${scriptWith('tokenizeCard =').replace("('pix-checkout')", "('pix-checkout')!")}
  `,

  'let the documents open a dialog': `
    declare const payButton: HTMLButtonElement;
    declare const order: { externalId: string; orderToken: string; totalPriceCents: number };
    const { externalId, orderToken, totalPriceCents } = order;
    ${scriptWith('openCheckout(')}
    // @ts-expect-error -- no property of the element
    void openCheckout({ endpoint: '/pix', externalID: '1042' });
    // @ts-expect-error -- its payer closed it
    void openCheckout({}).then((outcome) => outcome.invoiceId);
  `,

  'know each event, wherever a page listens': [
    'document',
    'window',
    "document.createElement('pix-checkout')",
  ]
    .map(listenOn)
    .join('\n'),

  'stand in the maps of events that frameworks and wrappers read': [
    'Document',
    'HTMLElement',
    'Window',
  ]
    .map(
      (target) => `{
      const detail = {} as ${target}EventMap['pix-paid']['detail'];
      const reference: string = detail.externalId;
      // @ts-expect-error -- no such event
      ({}) as ${target}EventMap['pix-payed'];
    }`,
    )
    .join('\n'),

  'say what the page hands in': `
    import type { CreatedInvoice, Item, Line, Payer } from 'pix-checkout';
    const checkout = document.createElement('pix-checkout');
    checkout.installments = [{ installment: 3, total_cents: 12_990, interest_free: true }] as const;
    // @ts-expect-error -- no total
    checkout.installments = [{ installment: 3 }];
    const invoice: CreatedInvoice = {
      invoice_id: 'invoice-1', order_code: 'PIX-1', external_id: 'order-1042', qr_code_pix: '0002',
      status: 'pending', total_cents: 12_990,
    };
    checkout.invoice = invoice;
    checkout.invoice = Promise.resolve(invoice);
    // @ts-expect-error -- the attribute takes JSON, the property does not
    checkout.invoice = JSON.stringify(invoice);
    const payer: Partial<Payer> = { name: 'Ana', cpf_cnpj: '52998224725' };
    checkout.payer = payer;
    // @ts-expect-error -- the service's names
    checkout.payer = { cpf: '52998224725' };
    const items: Item[] = [{ name: 'Camiseta', quantity: 1, unit_price: 12_990 }];
    const lines: Line[] = [{ label: 'Frete', cents: 1_000 }];
    Object.assign(checkout, { items: items satisfies typeof checkout.items, lines: lines satisfies typeof checkout.lines });
    // @ts-expect-error -- no price
    checkout.items = [{ name: 'Camiseta', quantity: 1 }];
    // @ts-expect-error -- no amount
    checkout.lines = [{ label: 'Frete' }];
  `,

  'show a page nothing of the inside': hidden
    .map((name) => `// @ts-expect-error\ndocument.createElement('pix-checkout').${name};`)
    .join('\n'),
});

const told = await compileAsShop(pages());

describe('types', () => {
  for (const [name, text] of Object.entries(told)) it(name, () => assert.equal(text, ''));
});

/** A page that reads every detail. */
function listenOn(target: string): string {
  return `{
  const target = ${target};
  target.addEventListener('pix-ready', ({ detail }) => detail.methods.includes('credit_card'));
  target.addEventListener('pix-submit', (event) => event.detail.externalId.trim() || event.preventDefault());
  target.addEventListener('pix-status', ({ detail }) => detail.phase === 'paid' || detail.status?.trim());
  target.addEventListener('pix-copy', ({ detail }) => detail.copied === true);
  target.addEventListener('pix-expired', ({ detail }) => detail.invoiceId.trim());
  target.addEventListener('pix-error', ({ detail }) => detail.code === 'network' && detail.retryable);
  for (const name of ['pix-created', 'pix-paid'] as const) {
    target.addEventListener(name, ({ detail }) => {
      const { invoiceId, orderCode, externalId, totalCents } = detail;
      [invoiceId, orderCode, externalId].map((text: string) => text.trim()).at(totalCents);
    });
  }
}`;
}

/** The module script of the documents that holds this text. */
function scriptWith(text: string): string {
  const scripts = [...documents.matchAll(/^<script type="module">\n(.*?)^<\/script>$/gms)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes(text));
  assert.equal(scripts.length, 1, `one script with ${text}`);
  return scripts[0] ?? '';
}

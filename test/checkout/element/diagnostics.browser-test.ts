/** What the console says to the merchant's developer when page and proxy do not fit: once, and what to look at. */

import { expect } from '@open-wc/testing';
import { stub } from '../../support/checkout/browser-stubs.js';
import type { World } from '../../support/checkout/checkout-world.js';
import { explainedUnder } from '../../tools/docs/explained-messages.js';
import { changed, problem } from '../../support/checkout/fake-proxy.js';
import type { Reply } from '../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openSubmitted,
  replied,
  submitted,
  pageOf,
} from '../../support/checkout/page.js';
import type { OpenOptions, Step } from '../../support/checkout/page.js';

const html = { 'Content-Type': 'text/html; charset=utf-8' };
const page = '<!doctype html><title>Loja</title>';

/** The usual answer without a field of `data`. */
const without =
  (field: string): Reply =>
  ({ status, body }) => {
    const { [field]: _, ...data } = (body as { data: Record<string, unknown> }).data;
    return { status, body: { data } };
  };

describe('<pix-checkout>: the console', () => {
  const cases: readonly [name: string, reply: Reply, words: RegExp][] = [
    [
      'an endpoint that is not there',
      { status: 404, body: page, headers: html },
      /\/pix answered 404 with HTML without a code$/,
    ],
    [
      'a page in place of JSON',
      { status: 200, body: page, headers: html },
      /\/pix answered 200 with HTML\. .*"body" is missing/,
    ],
    ['an origin without CORS, or no line', 'lost', /\/pix did not answer: .*CORS/],
    [
      'an error of another format',
      { status: 500, body: { error: 'x' } },
      /\/pix answered 500 without a code$/,
    ],
  ];
  for (const [name, reply, words] of cases) {
    it(`tells of ${name}, once`, async () => {
      const { element, submit, world } = await openSubmitted(({ proxy }) => {
        proxy.replyAlways('create', reply);
        proxy.replyAlways('recover', reply);
      });
      await submit();
      element.reset();
      const told = world.warnings.filter((text) => words.test(text));
      expect(told, world.warnings.join('\n')).to.have.length(1);
    });
  }

  const matching = (words: RegExp): Step => {
    return ({ warnings }) => expect(warnings.join()).to.match(words);
  };
  const unavailable = Array.from({ length: 3 }, () => problem('service_unavailable'));
  const offline = submitted(({ proxy }) => {
    stub(navigator, 'onLine', { value: false });
    proxy.reply('create', 'lost');
  });
  it('says nothing of an error that belongs to any payment', async () => {
    const page = await pageOf(submitted(replied('create', problem('in_progress'))));
    page.shows({ warnings: [] });
  });

  it('names the code of a proxy that cannot serve, once', async () => {
    const page = await pageOf(submitted(replied('create', ...unavailable)));
    await page.does(matching(/pix answered 503 service_unavailable$/));
  });

  it('tells of a proxy that gives no lookup_token', async () => {
    const page = await pageOf(submitted(replied('create', without('lookup_token'))));
    await page.does(matching(/no lookup_token/));
  });

  it('says nothing of the proxy while the payer has no line', async () => {
    const page = await pageOf(offline);
    page.shows({ warnings: [] });
  });

  it('tells of two elements that show one order', async () => {
    const order = newOrder();
    const attributes = { 'external-id': order };
    const first = await openAwaiting({ attributes });
    expect(first.world.warnings).to.deep.equal([]);
    const { world } = await openAwaiting({ attributes }, first.world);
    expect(world.warnings.join()).to.match(/Two elements/);
  });

  it('says nothing of two elements that show two invoices by their ids', async () => {
    const named = ({ proxy }: World) => {
      const { invoice_id, lookup_token = null } = proxy.makeInvoice(newOrder());
      const attributes = { 'invoice-id': invoice_id, 'lookup-token': lookup_token };
      return { attributes: { ...attributes, 'external-id': null } };
    };
    const first = await openCheckout(named);
    const { element, world } = await openCheckout(named, first.world);
    expect(element.phase).to.equal('awaiting');
    expect(world.warnings).to.deep.equal([]);
  });

  it('says nothing of children that are slotted, or that a page shows without scripts', async () => {
    const children = '<header slot="header">Loja</header><section><a href="#">Pagar</a></section>';
    const { world } = await openCheckout({ children });
    expect(world.warnings).to.deep.equal([]);
  });

  it('says nothing of an element that took the place of another', async () => {
    const attributes = { 'external-id': newOrder() };
    const first = await openAwaiting({ attributes });
    first.element.remove();
    const { world } = await openCheckout({ attributes }, first.world);
    expect(world.warnings).to.deep.equal([]);
  });

  it('goes with the words on the screen that the page "It does not work" explains, line by line', async () => {
    const text = await (await fetch('/src/IT-DOES-NOT-WORK.md')).text();
    const [stale, closed, noInvoice, noOrder, price] = explainedUnder(text, "The payer's screen");
    const refused = problem('invalid_request', { detail: 'body' });
    const mistakes: readonly [words: string | undefined, reply: Reply, options?: OpenOptions][] = [
      [stale, problem('unauthorized', { detail: 'order_token is missing' })],
      [closed, 'lost', { attributes: { endpoint: null } }],
      [closed, refused, { attributes: { 'payer-fields': '' } }],
      [noInvoice, problem('not_found')],
      [noOrder, problem('unknown_order')],
      [price, problem('amount_mismatch')],
    ];
    for (const [words, reply, options = {}] of mistakes) {
      const { visibleText } = await openSubmitted(({ proxy }) => {
        proxy.replyAlways('create', reply);
        return options;
      });
      expect(visibleText()).to.include(words);
    }
  });

  it('says what the page "It does not work" explains, line by line', async () => {
    const text = await (await fetch('/src/IT-DOES-NOT-WORK.md')).text();
    const explained = explainedUnder(text, 'The page');

    const told: string[] = [];
    const hear = async (words: Parameters<typeof openSubmitted>[0]) => {
      const { world } = await openSubmitted(words);
      told.push(world.warnings.join('\n'));
    };
    const answered = (reply: Reply) => hear(({ proxy }) => proxy.replyAlways('create', reply));
    await hear({ attributes: { endpoint: null } });
    await hear({ properties: { 'external-id': 'order-1' } as object });
    await hear({ attributes: { methods: 'pix credit_card' } });
    await hear({ attributes: { methods: 'pix boleto' } });
    await answered({ status: 404, body: page, headers: html });
    await answered(problem('unauthorized', { detail: 'order_token is missing' }));
    await answered(problem('unauthorized'));
    await answered(problem('unknown_order'));
    const totals = 'total_price_cents: 12990, not 13990';
    await answered(problem('amount_mismatch', { detail: totals }));
    await answered(problem('invalid_request', { detail: 'external_id' }));
    await answered({ status: 200, body: page, headers: html });
    await answered({ status: 0, body: '' });
    await answered('lost');
    await answered(changed({ total_cents: '12990' }));
    await answered(without('lookup_token'));
    await answered(changed({ client: { name: 'Maria' } }));
    await answered((usual) => ({ ...usual, headers: { Date: 'Sun, 01 Mar 2026 00:00:00 GMT' } }));
    const order = { attributes: { 'external-id': newOrder() } };
    const { world } = await openAwaiting(order);
    await openAwaiting(order, world);
    told.push(world.warnings.join('\n'));
    await hear({ children: '<p>Entrega</p><footer>Termos</footer>' });

    expect(told).to.have.length(explained.length);
    explained.forEach((message, at) => expect(told[at]).to.include(message));
  });
});

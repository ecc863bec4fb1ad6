/** One attempt, one key: through double clicks, retries, reloads and second elements; and the record that keeps it. */

import { expect } from '@open-wc/testing';
import type { World } from '../../../support/checkout/checkout-world.js';
import { problem } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openCheckout,
  openReady,
  awaiting,
  play,
  ready,
  replied,
  slow,
  submitted,
  pageOf,
} from '../../../support/checkout/page.js';
import type { Sight, Step } from '../../../support/checkout/page.js';

const keysOf = ({ proxy }: Pick<World, 'proxy'>) =>
  proxy.of('create').map(({ headers }) => headers['idempotency-key']);
/** How many requests for an invoice there were, and of how many attempts. */
const keys =
  (requests: number, attempts: number): Step =>
  (checkout) => {
    const sent = keysOf(checkout);
    expect([sent.length, new Set(sent).size]).to.deep.equal([requests, attempts]);
  };

describe('<pix-checkout>: one attempt key', () => {
  const failing = replied('create', 'lost', problem('service_unavailable'), 'hangs');
  const dying = replied('create', 'lost', problem('service_unavailable', {}, '4'));
  const toRetry: Step = ({ proxy, clock, advance }) => {
    const [, refusedAtMs] = proxy.of('create').map(({ atMs }) => atMs);
    return advance((refusedAtMs ?? 0) + 3_999 - clock.now());
  };
  it('through silent retries, and a press of the button after them', async () => {
    const page = await pageOf(submitted(failing));
    await page.waits(60_000);
    page.shows({ phase: 'form' });
    await page.does('submit');
    page.shows({ phase: 'awaiting' });
    await page.does(keys(4, 1));
  });

  it('through a machine that dies: the code comes without a press, when the next one says so', async () => {
    const page = await pageOf(submitted(dying));
    await page.waits(1_500);
    await page.does(toRetry);
    page.shows({
      phase: 'creating',
      shows: ['Continuamos tentando.'],
      has: { '[part~="error"]': false },
    });
    await page.waits(1);
    page.shows({ phase: 'awaiting', codes: [] });
    await page.does(keys(3, 1));
  });

  it('a new one after key_reused', async () => {
    const page = await pageOf(submitted(replied('create', problem('key_reused'))));
    await page.does('submit');
    await page.does(keys(2, 2));
  });
  it('and another one after a reload, where the proxy never got the first', async () => {
    const attributes = { 'external-id': newOrder() };
    const first = await submitted(({ proxy }) => {
      proxy.reply('create', 'hangs');
      return { attributes };
    })();
    first.element.remove();
    const second = await openReady({ attributes }, first.world);
    expect(second.proxy.of('recover')[0]?.headers['idempotency-key']).to.equal(keysOf(first)[0]);
    // The first one will never be taken: the proxy said that it does not know it.
    await play(second, 'submit', { phase: 'awaiting' }, keys(2, 2));
  });
  it('of a second element that is pressed too', async () => {
    const attributes = { 'external-id': newOrder() };
    const first = await ready({ attributes })();
    const second = await openReady({ attributes }, first.world);
    first.proxy.delayMs = 100;
    await play(first, 'submit', () => second.submit(), 1_000, keys(2, 1), { code: 0 });
    expect(first.proxy.invoices).to.have.length(1);
    await play(second, { code: 0 });
  });
});

describe('<pix-checkout>: one record', () => {
  it('holds the key before the answer, then ids and token, and nothing else', async () => {
    const { proxy, advance, record, clock, environment } = await submitted(slow(100))();
    const [attemptKey] = keysOf({ proxy });
    const common = { attemptKey, method: 'pix', totalCents: 12_990 };
    const createdAt = environment.wallClock().getTime();
    expect(record()).to.deep.equal([{ ...common, invoiceId: null, lookupToken: null, createdAt }]);
    await advance(100);
    const { invoice_id: invoiceId, lookup_token: lookupToken } = proxy.invoices[0] ?? {};
    const [kept] = record() as [{ createdAt: number }];
    expect(kept).to.deep.equal({ ...common, invoiceId, lookupToken, createdAt: kept.createdAt });
    expect(kept.createdAt).to.be.within(createdAt, createdAt + clock.now());
    expect(Object.keys(kept).join(' ')).to.equal(
      'attemptKey invoiceId lookupToken method totalCents createdAt',
    );
  });
  const loadedAnew: Step = async ({ element, world }) => {
    element.remove();
    const attributes = { 'external-id': element.externalId };
    const sight: Sight = { phase: 'awaiting', code: 0, creations: 1, untold: 'pix-created' };
    await play(await openCheckout({ attributes }, world), sight);
  };
  it('brings the same invoice back after a reload, without a second one', async () => {
    const page = await pageOf(awaiting());
    await page.does(loadedAnew);
  });

  it('goes when the invoice is paid', async () => {
    const page = await pageOf(awaiting());
    page.shows({ records: 1 });
    await page.does('pay');
    await page.presses('Já paguei');
    page.shows({ records: 0 });
  });

  it('goes on reset()', async () => {
    const page = await pageOf(awaiting());
    page.shows({ records: 1 });
    await page.does('reset');
    page.shows({ records: 0 });
  });

  it('goes with a final refusal', async () => {
    const page = await pageOf(submitted(replied('create', problem('order_closed'))));
    page.shows({ records: 0 });
  });

  it('storage that throws is stood in for by memory', async () => {
    const page = await pageOf(awaiting((world) => void (world.barred = 'throws')));
    await page.does(loadedAnew);
    page.shows({ records: 0, warnings: [] });
  });

  it('storage that is missing is stood in for by memory', async () => {
    const page = await pageOf(awaiting((world) => void (world.barred = 'missing')));
    await page.does(loadedAnew);
    page.shows({ records: 0, warnings: [] });
  });
});

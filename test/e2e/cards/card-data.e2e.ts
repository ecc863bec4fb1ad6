/**
 * Where card data goes: what leaves the browser with a tokenizer, with a provider's own fields, and raw; that a bad hook
 * loses nothing; and that nothing of a card is left behind.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  findCanaries,
  recordPage,
  type PageRecorder,
  type Trace,
} from '../../support/browser/canary.js';
import {
  assertCharged,
  expiryYear,
  holder,
  numberOf,
  payByCard,
  openCardShop,
  type OpenedCardPage,
  type SetUp,
} from '../../support/browser/card.js';
import { heardOf, untilPhase, untilShown } from '../../support/browser/payer.js';
import { strictPolicy } from '../../support/browser/server.js';
import { until } from '../../support/until.js';
import { givesUpSoon } from '../../support/browser/shop.js';
import { words } from '../../support/rows.js';

const number = numberOf('approve');
/** The card as it is typed. */
const typedCard = {
  number,
  first_name: 'MARIA',
  last_name: 'DA SILVA',
  month: '12',
  year: expiryYear,
  security_code: holder.card_code,
};
/** All that a tokenizer may hand on, as a 3-D Secure provider does. */
const credentials = {
  token: 'tok_approve',
  first_name: 'Maria',
  last_name: 'da Silva',
  cavv: 'AAABBEg0VhI0VniQEjRWAAAAAAA=',
  xid: 'MDAwMDAwMDAwMDAwMDAzMjI3NjE=',
  eci: '05',
  version: '2.2.0',
  referenceid: 'c5b808e7-1de1-4069-a17b-f70d3b3b1645',
};

declare global {
  interface Window {
    /** The provider's script, which a page asks for a token. */
    provider(card: unknown): Promise<Record<string, unknown>>;
  }
}

const askProvider: SetUp = (checkout) => {
  checkout.tokenizeCard = (card) => window.provider(card);
};

describe('card data', { concurrent: true }, () => {
  /** A page whose hook is answered by this process: `made`, whatever the card. Gives what the hook was handed. */
  function provide(made: Record<string, unknown>) {
    const handed: unknown[] = [];
    const prepare = (page: Page) =>
      page.exposeFunction('provider', (card: unknown) => {
        handed.push(card);
        return made;
      });
    return { handed, prepare };
  }

  it('stays in the browser with a tokenizer, but for what the tokenizer returns', async (t) => {
    const leaky = { ...credentials, number, security_code: holder.card_code, note: 'x', month: 12 };
    const { handed, prepare } = provide(leaky);
    const opened = await openCardShop(t, { page: { setUp: askProvider }, prepare });
    const { shop, page, sent } = opened;
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    assert.deepEqual(handed, [typedCard]);
    assert.deepEqual(sent.cards[0]?.card, { ...credentials, installment: 1 });
    assert.deepEqual(
      Object.keys(sent.cards[0] ?? {}).toSorted(),
      words('card expected_total_cents external_id method order_token'),
    );
    assert.equal(sent.bodies.length, 1);
    assert.deepEqual(shop.receivedCards(), [{ ...credentials, installment: 1 }]);
    assertCharged(opened);
  });

  it('passes raw where page and proxy both have said so', async (t) => {
    const opened = await openCardShop(t, {
      page: { setUp: () => undefined, attributes: { 'accept-raw-card': '' } },
      proxy: { rawCard: true },
    });
    const { shop, page } = opened;
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    assert.deepEqual(shop.receivedCards(), [{ ...typedCard, installment: 1 }]);
    assertCharged(opened);
  });
  const endings = [
    ['paid', 'approve'],
    ['confirming', 'pending'],
    ['unknown', 'hang_after_effect'],
    ['refused', 'refuse'],
  ] as const;
  for (const [ending, scenario] of endings) {
    // Each ending once, and each way.
    const way = ending === 'paid' ? 'raw' : 'tokenized';
    it(`is left nowhere, under the strictest policy: ${way}, ${ending}`, async (t) => {
      const token = `tok_${scenario}`;
      const { prepare } = provide({ ...credentials, token });
      const recorded: { recorder?: PageRecorder } = {};
      const opened = await openCardShop(t, {
        page:
          way === 'raw'
            ? { setUp: () => undefined, attributes: { 'accept-raw-card': '' } }
            : { setUp: askProvider },
        proxy: { rawCard: way === 'raw', ...(ending === 'unknown' && givesUpSoon) },
        prepare: async (page, shop) => {
          shop.server.contentSecurityPolicy = strictPolicy;
          await prepare(page);
          recorded.recorder = recordPage(page);
        },
      });
      const { shop, page } = opened;
      await payByCard(page, scenario);
      const phases = { paid: 'paid', refused: 'form' } as Record<string, 'paid' | 'form'>;
      if (ending === 'refused') await untilShown(page, 'Pagamento não aprovado.');
      else await untilPhase(page, phases[ending] ?? 'confirming');
      if (ending === 'unknown') await until(() => shop.log.length > 0);
      assert.equal(shop.receivedCards().length, 1, 'planted at the service');
      assert.ok(recorded.recorder);
      const { cavv, xid, referenceid } = credentials;
      const digits = numberOf(scenario);
      const grouped = digits.replace(/\d{4}(?=\d)/g, '$& ');
      const secrets = { digits, 'number as typed': grouped, token, cavv, xid, referenceid };
      const traces = [...(await tracesOf(opened, recorded.recorder)), await heapOf(page)];
      // What was typed stays in the form until the order is paid: the card may yet be refused. And nowhere else.
      const kept = ending === 'paid' ? [] : ['number as typed in heap'];
      assert.deepEqual(findCanaries(secrets, traces), kept);
      const code = new RegExp(`(?<![\\w.])${holder.card_code}(?![\\w.])`);
      assert.deepEqual(
        traces.filter(
          ({ place, text }) => !place.includes('/dist/') && place !== 'heap' && code.test(text),
        ),
        [],
      );
      assert.deepEqual(await heardOf(page, 'securitypolicyviolation'), []);
    });
  }
});

/** All that page and proxy have left so far. */
async function tracesOf({ shop, page }: OpenedCardPage, recorder: PageRecorder): Promise<Trace[]> {
  const properties = await page.$eval('pix-checkout', (checkout) => {
    const texts: string[] = [];
    for (
      let one: object = checkout;
      one !== HTMLElement.prototype;
      one = Object.getPrototypeOf(one)
    ) {
      for (const name of Object.getOwnPropertyNames(one)) {
        const value: unknown = Reflect.get(checkout, name);
        // What is not plain data has no JSON; functions hold nothing of a payer.
        if (typeof value === 'string') texts.push(`${name}: ${value}`);
      }
    }
    return texts;
  });
  return [
    ...(await recorder.traces(shop.log)),
    ...properties.map((text) => ({ place: 'property', text })),
  ];
}

/** Every text in the memory of the page's scripts, private fields included, after what is not used was thrown away. */
async function heapOf(page: Page): Promise<Trace> {
  const debug = await page.createCDPSession();
  let text = '';
  debug.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => (text += chunk));
  await debug.send('HeapProfiler.collectGarbage');
  await debug.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await debug.detach();
  const { strings } = JSON.parse(text) as { strings: string[] };
  return { place: 'heap', text: strings.join('\n') };
}

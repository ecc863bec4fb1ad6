/** Pages with the file that starts the request early: the code comes a round trip sooner, and nothing else is different. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'vitest';
import { root } from '../../tools/tools.js';
import { openContext } from '../../support/browser/contexts.js';
import {
  heardOf,
  heardOn,
  openPage,
  shownCode,
  untilHeard,
  untilPhase,
} from '../../support/browser/payer.js';
import { serveScript } from '../../support/browser/server.js';
import { createGate, openShop } from '../../support/browser/shop.js';

const file = '/dist/pix-checkout.min.js';
const early = readFileSync(`${root}/dist/pix-checkout-start.min.js`, 'utf8');

/** Ways to put the file into a page. */
const places = {
  'in the page': (nonce: string) => `<script nonce="${nonce}">${early}</script>`,
  'as a file': () => '<script async src="/dist/pix-checkout-start.min.js"></script>',
  'not at all': () => '',
} as const;

type Place = keyof typeof places;

describe('a page that starts the request early', { concurrent: true }, () => {
  /** The element's file comes when the gate is open. Every request for an invoice is counted, as the proxy's door sees it. */
  async function open(
    t: TestContext,
    {
      attributes,
      place = 'in the page',
      before = () => undefined,
      policy = null,
    }: {
      attributes?: Readonly<Record<string, string | null>>;
      place?: Place;
      /** Runs inside the page, before anything else. */
      before?: () => void;
      policy?: string | null;
    } = {},
  ) {
    const shop = await openShop();
    t.onTestFinished(() => shop.close());
    const [gate, asked] = [createGate(), createGate()];
    const creations: string[] = [];
    shop.between = async (request, forward) => {
      if (request.method === 'POST') {
        creations.push(request.headers.get('idempotency-key') ?? '');
        void asked.pass();
      }
      return forward(request);
    };
    const late = '<script type="module" src="/late/pix-checkout.min.js"></script>';
    const { reference, url } = await shop.addPage({
      attributes: { 'auto-start': '', 'payer-fields': '', ...attributes },
      head: places[place]('n1') + late,
    });
    shop.server.handlers.set('/late', async () => {
      await gate.pass();
      return serveScript(readFileSync(root + file));
    });
    shop.server.contentSecurityPolicy = policy;
    const opened = openPage(
      await openContext(t),
      shop,
      url,
      async (page) => void (await page.evaluateOnNewDocument(before)),
    );
    /** Lets the element come, and waits for the one code of the order. */
    const untilCode = async () => {
      gate.open();
      const page = await opened;
      await untilPhase(page, 'awaiting');
      const [made, ...others] = shop.invoicesOf(reference);
      assert.deepEqual(others, []);
      assert.equal(await shownCode(page), made?.qrCodePix);
      return page;
    };
    return { shop, reference, url, gate, asked, creations, opened, untilCode };
  }

  for (const place of ['in the page', 'as a file'] as const) {
    it(`has the code for one request that left before the element came, ${place}`, async (t) => {
      const { shop, reference, asked, creations, untilCode } = await open(t, { place });
      await asked.reached;
      const page = await untilCode();
      assert.equal(creations.length, 1);
      const news = (await heardOn(page)).map(({ type }) => type);
      assert.deepEqual(
        news.filter((type) => type !== 'pix-status'),
        ['pix-submit', 'pix-ready', 'pix-created'],
      );
      // A reload finds the record that the element keeps, and asks for nothing.
      await page.reload();
      await untilCode();
      assert.equal(creations.length, 1);
      await shop.payNewest(reference);
      await untilHeard(page, 'pix-paid');
    });
  }

  it('is for haste alone: without it the element says pix-ready, and then asks', async (t) => {
    const { creations, untilCode } = await open(t, { place: 'not at all' });
    const page = await untilCode();
    assert.equal(creations.length, 1);
    const news = (await heardOn(page)).map(({ type }) => type);
    assert.deepEqual(
      news.filter((type) => type !== 'pix-status'),
      ['pix-ready', 'pix-submit', 'pix-created'],
    );
  });

  it('leaves to the element what a script has set', async (t) => {
    const before = () =>
      new MutationObserver(() => {
        const page = document.querySelector('pix-checkout');
        if (page) Object.assign(page, { methods: 'credit_card' });
      }).observe(document, { childList: true, subtree: true });
    const { gate, creations, opened } = await open(t, {
      attributes: { 'accept-raw-card': '' },
      before,
    });
    gate.open();
    await untilHeard(await opened, 'pix-ready');
    assert.deepEqual(creations, []);
  });

  it('goes on by itself where the early request failed', async (t) => {
    const { shop, asked, creations, untilCode } = await open(t);
    const { between } = shop;
    shop.between = async (request, forward) => {
      if (request.method !== 'POST' || creations.length > 0) return between!(request, forward);
      await between!(request, async () => Response.error());
      return new Response(null, { status: 503 });
    };
    await asked.reached;
    await untilCode();
  });

  it('shows the form where the page cancels what is about to be sent', async (t) => {
    const before = () => addEventListener('pix-submit', (event) => event.preventDefault());
    const { gate, opened, creations } = await open(t, { before });
    gate.open();
    const page = await opened;
    await untilHeard(page, 'pix-ready');
    await untilPhase(page, 'form');
    assert.deepEqual([creations, (await heardOf(page, 'pix-submit')).length], [[], 1]);
  });

  it('asks for nothing while the page is rendered ahead', async (t) => {
    const before = () => {
      let isAhead = true;
      Object.defineProperty(document, 'prerendering', { get: () => isAhead });
      addEventListener('shown', () => {
        isAhead = false;
        document.dispatchEvent(new Event('prerenderingchange'));
      });
    };
    const { gate, opened, creations } = await open(t, { before });
    gate.open();
    const page = await opened;
    await untilHeard(page, 'pix-ready');
    assert.deepEqual(creations, []);
    await page.evaluate(() => dispatchEvent(new Event('shown')));
    await untilPhase(page, 'awaiting');
    assert.equal(creations.length, 1);
  });

  it('has one invoice where a service worker repeats the request', async (t) => {
    const { shop, creations, untilCode } = await open(t);
    const { between } = shop;
    shop.between = async (request, forward) => {
      const again = request.clone();
      const answer = await between!(request, forward);
      return request.method === 'POST' ? between!(again, forward) : answer;
    };
    await untilCode();
    assert.deepEqual([creations.length, new Set(creations).size], [2, 1]);
  });

  it('finds the same invoice where the payer leaves before the answer, and comes back', async (t) => {
    const { shop, url, gate, asked, opened, untilCode } = await open(t);
    const { between } = shop;
    const answer = createGate();
    shop.between = async (request, forward) => {
      const response = await between!(request, forward);
      if (request.method === 'POST') await answer.pass();
      return response;
    };
    await asked.reached;
    gate.open();
    const page = await opened;
    await untilPhase(page, 'creating');
    await answer.reached;
    await page.goto('about:blank');
    answer.open();
    await page.goto(url);
    await untilCode();
  });

  it('keeps the strictest policy, given its nonce', async (t) => {
    const policy =
      "default-src 'none'; script-src 'self' 'nonce-n1'; style-src 'self'; connect-src 'self'; " +
      "require-trusted-types-for 'script'; trusted-types lit-html";
    const { asked, untilCode } = await open(t, { policy });
    await asked.reached;
    const page = await untilCode();
    assert.deepEqual(await heardOf(page, 'securitypolicyviolation'), []);
  });

  for (const [what, attributes] of Object.entries({
    'a payer to ask': { 'payer-fields': 'name' },
    'a card first': { methods: 'credit_card pix', 'accept-raw-card': '' },
    'an invoice that is there': { invoice: '{}' },
    'no wish to': { 'auto-start': 'false' },
    'a total that is none': { 'total-price-cents': '12.9' },
  })) {
    it(`leaves to the element what has ${what}`, async (t) => {
      const { gate, opened, creations } = await open(t, { attributes });
      gate.open();
      await untilHeard(await opened, 'pix-ready');
      assert.deepEqual(creations, []);
    });
  }
});

/**
 * What every framework has to get right with the element, from the server's page to the handler that hears of the
 * payment. Knows no framework: a page is given by its address, and leaves `window.shop` to change it by.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openContext } from '../../support/browser/contexts.js';
import {
  askForCode,
  heardOf,
  openPage,
  untilHeard,
  untilPhase,
} from '../../support/browser/payer.js';
import { payWhileRenderedAnew } from '../../support/browser/rendered-anew.js';
import { holdAnswers, totalCents, type Shop } from '../../support/browser/shop.js';
import { isChosen, isThorough } from '../../tools/runs.js';
import { eventNames, everything } from './everything.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

/** What a page is rendered from. */
export interface Given {
  /** The page of the documents, or one that sets everything and changes. */
  readonly view: 'checkout' | 'everything';
  readonly order: {
    readonly externalId: string;
    readonly orderToken: string;
    readonly totalCents: number;
    readonly items: readonly object[];
  };
}

/** Lays a page out. @returns its address below the shop's origin */
export type LayOut = (given: Given) => Promise<string>;

declare global {
  interface Window {
    /** How the test changes a framework's page. */
    shop: { change(props: object): void; show(isShown: boolean): void };
    /** Has the server render it anew, where the framework can. */
    refresh?: () => Promise<unknown>;
    /** Names of the events that handlers of the framework were called with. */
    told?: string[];
  }
}

/** Properties that are texts: pages set those by attributes. */
const texts = new Set(
  (
    'endpoint externalId orderToken methods method invoiceId lookupToken payerFields receiverName locale ' +
    'acceptedBrands'
  ).split(' '),
);

/** Words on the console that are no fault of the page. */
const harmless = /^Lit is in dev mode/;

/** Why frameworks are left out; false: they are not. */
export const leftOut =
  isThorough || isChosen ? false : 'frameworks: CI=true or npm test -- test/frameworks runs them';

let orders = 0;

/** The tests of one framework. @param whyNot why it is left out here */
export function describeFramework(
  name: string,
  shop: Shop,
  layOut: LayOut,
  whyNot: string | false = false,
): void {
  describe(name, leftOutIf(leftOut || whyNot), () => {
    async function open(t: TestContext, view: Given['view']) {
      const reference = `${name.toLowerCase().replace(' ', '-')}-${(orders += 1)}`;
      const url = shop.origin + (await layOut({ view, order: await newOrder(shop, reference) }));
      const complaints: string[] = [];
      const context = await openContext(t);
      const page = await openPage(context, shop, url, async (opening) => {
        opening.on('pageerror', (error) => complaints.push(String(error)));
        opening.on('console', (message) => {
          const isLoud = message.type() === 'warn' || message.type() === 'error';
          if (isLoud && !harmless.test(message.text())) complaints.push(message.text());
        });
      });
      return { page, reference, url, complaints };
    }

    it('stands in the server’s page, is paid, and the page hears of it', async (t) => {
      const { page, reference, url, complaints } = await open(t, 'checkout');
      const html = await (await fetch(url)).text();
      const [tag = '', child = ''] = /<pix-checkout[^>]*>(.*?)<\/pix-checkout>/s.exec(html) ?? [];
      for (const attribute of [`external-id="${reference}"`, `total-price-cents="${totalCents}"`]) {
        assert.ok(tag.includes(attribute), tag);
      }
      assert.match(child, /<a href="[^"]+boleto">Pagar de outro jeito<\/a>/);
      assert.doesNotMatch(html, /\[object/);

      await askForCode(page);
      await shop.payNewest(reference);
      await page.waitForFunction(
        (words) => document.querySelector('h1')?.textContent === words,
        { polling: 50 },
        `Obrigado! Pedido ${reference} pago.`,
      );
      assert.deepEqual(complaints, []);
    });

    it('sets every property that is no text before the element begins, and hears every event', async (t) => {
      const { page, reference, complaints } = await open(t, 'everything');
      await untilPhase(page, 'awaiting');
      assert.deepEqual(await readProperties(page), describeValues(everything));
      // It began with the payer, of whom nothing stands in the page.
      const [invoice, ...others] = shop.invoicesOf(reference);
      assert.deepEqual([invoice?.request.payer, others], [everything.payer, []]);
      assert.deepEqual(await heardOf(page, 'pix-error'), []);
      assert.equal((await page.evaluate(() => window.told))?.[0], 'pix-ready');

      await page.evaluate((names) => {
        for (const name of names) {
          const event = new CustomEvent(`pix-${name}`, { detail: {}, bubbles: true });
          document.querySelector('pix-checkout')?.dispatchEvent(event);
        }
      }, eventNames);
      const told = await page.evaluate((count) => window.told?.slice(-count), eventNames.length);
      assert.deepEqual(
        told,
        eventNames.map((event) => `pix-${event}`),
      );
      assert.deepEqual(complaints, []);
    });

    it('takes changes while it is shown', async (t) => {
      const { page, complaints } = await open(t, 'everything');
      await untilPhase(page, 'awaiting');
      const invoice = { invoice_id: 'not looked at beside a code' };
      const changes = { texts: { copy: 'Copiar já' }, items: [], expiresIn: 600, invoice };
      await page.evaluate((next) => window.shop.change(next), changes);
      await page.waitForFunction(() => document.querySelector('pix-checkout')?.expiresIn === 600, {
        polling: 50,
      });
      const all = { ...everything, ...changes };
      assert.deepEqual(await readProperties(page), describeValues(all));
      assert.equal(await page.$eval('pix-checkout', ({ phase }) => phase), 'awaiting');
      assert.deepEqual(complaints, []);
    });

    it('goes on while the page is rendered anew in each phase, with a newly signed token', async (t) => {
      const context = await openContext(t);
      const reference = `${name.toLowerCase().replace(' ', '-')}-${(orders += 1)}`;
      const order = await newOrder(shop, reference);
      const url = shop.origin + (await layOut({ view: 'everything', order }));
      const begin = () => openPage(context, shop, url);
      await payWhileRenderedAnew({ shop, reference }, begin, async (page) => {
        const next = await newOrder(shop, reference);
        await page.evaluate(
          (orderToken) => window.refresh?.() ?? window.shop.change({ orderToken }),
          next.orderToken,
        );
      });
    });

    it('keeps its one invoice when it goes while that is being made, and comes back', async (t) => {
      const gate = holdAnswers(shop);
      t.onTestFinished(() => {
        shop.between = null;
      });
      const { page, reference, complaints } = await open(t, 'everything');
      await gate.reached;
      await page.evaluate(() => window.shop.show(false));
      await page.waitForFunction(() => !document.querySelector('pix-checkout'), { polling: 50 });
      gate.open();
      await page.evaluate(() => window.shop.show(true));
      await untilPhase(page, 'awaiting');
      await shop.payNewest(reference);
      await untilHeard(page, 'pix-paid');
      assert.equal(shop.invoicesOf(reference).length, 1);
      assert.deepEqual(complaints, []);
    });
  });
}

/** An unused order, with its token. */
export async function newOrder(shop: Shop, externalId: string): Promise<Given['order']> {
  const { url } = await shop.addPage({ reference: externalId });
  const [, orderToken = ''] =
    /order-token="([^"]+)"/.exec(shop.server.pages.get(new URL(url).pathname) ?? '') ?? [];
  return { externalId, orderToken, totalCents, items: everything.items };
}

/** Every property of the element that is no text, as {@link describeValues} has it. */
async function readProperties(page: Page): Promise<unknown> {
  // As text: a framework's proxies would come out empty.
  const read = await page.evaluate(
    (left) => {
      const element = document.querySelector('pix-checkout')!;
      const { properties } = element.constructor as unknown as { properties: object };
      const names = Object.keys(properties).filter((name) => !left.includes(name));
      const values = names.toSorted().map((name): [string, unknown] => {
        const value: unknown = Reflect.get(element, name);
        return [name, typeof value === 'function' ? 'a function' : value];
      });
      return JSON.stringify(Object.fromEntries(values));
    },
    [...texts],
  );
  return JSON.parse(read);
}

function describeValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .map(([name, value]): [string, unknown] => [
        name,
        typeof value === 'function' ? 'a function' : value,
      ])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

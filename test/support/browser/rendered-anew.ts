/** A payment on a page that renders itself anew, with a newly signed token, in each phase on the way: it goes on. */
import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { heardOf, shownCode, untilPhase } from './payer.js';
import { createGate, type Shop } from './shop.js';

/** How a page is rendered anew; the page says what it then shows. */
type Refresh = (page: Page) => Promise<unknown>;

/**
 * Drives an order from its creation to its receipt.
 * @param begin opens the page and asks for the code, of which the answer is held
 */
export async function payWhileRenderedAnew(
  { shop, reference }: { readonly shop: Shop; readonly reference: string },
  begin: () => Promise<Page>,
  refresh: Refresh,
): Promise<void> {
  const tokens = new Set<string | null>();
  /** Signed to the second: until there is another one. */
  async function renderAnew(page: Page): Promise<void> {
    const before = await tokenOf(page);
    tokens.add(before);
    for (let tries = 1; (await tokenOf(page)) === before; tries += 1) {
      assert.ok(tries < 50, 'the page takes another token');
      await refresh(page);
      // A router does not say when it is done, and a question on top of it may begin it anew: the next one waits longer.
      const isOther = (token: string | null) =>
        document.querySelector('pix-checkout')?.orderToken !== token;
      const options = { polling: 20, timeout: 50 * tries };
      await page.waitForFunction(isOther, options, before).catch(() => undefined);
    }
  }
  const gate = createGate();
  let disagrees = false;
  shop.between = async (request, forward) => {
    const answer = await forward(request);
    if (request.method === 'POST') await gate.pass();
    return disagrees ? withMismatch(answer) : answer;
  };
  try {
    const page = await begin();
    await gate.reached;
    await renderAnew(page);
    gate.open();
    await untilPhase(page, 'awaiting');
    const code = await shownCode(page);
    await renderAnew(page);
    assert.equal(await shownCode(page), code);
    disagrees = true;
    await page.$eval('pix-checkout', (checkout) => checkout.refresh());
    await untilPhase(page, 'confirming');
    await renderAnew(page);
    disagrees = false;
    assert.equal(shop.invoicesOf(reference).length, 1);
    await shop.payNewest(reference);
    await page.$eval('pix-checkout', (checkout) => checkout.refresh());
    await untilPhase(page, 'paid');
    await renderAnew(page);
    assert.equal(await page.$eval('pix-checkout', ({ phase }) => phase), 'paid');
    const phases = (await heardOf(page, 'pix-status')).map(({ phase }) => phase);
    assert.deepEqual([...new Set(phases)], ['creating', 'awaiting', 'confirming', 'paid']);
    assert.equal(tokens.size, 4);
  } finally {
    shop.between = null;
  }
}

function tokenOf(page: Page): Promise<string | null> {
  return page.$eval('pix-checkout', ({ orderToken }) => orderToken);
}

/** The answer, as if the service had reported a payment of another total. */
async function withMismatch(answer: Response): Promise<Response> {
  const text = (await answer.text()).replace('"status":"pending"', '"status":"amount_mismatch"');
  return new Response(text, answer);
}

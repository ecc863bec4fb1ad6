/** Shops without Node: the demo's proxies in PHP and Python, each paid end to end by the same element. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { signOrder } from '../../../src/order-token.js';
import { startDemo, type RunningDemo } from '../../conformance/subjects.js';
import { whyNoProgram } from '../../tools/machine/programs.js';
import {
  askForCode,
  heardOf,
  scanScreen,
  untilHeard,
  untilPhase,
  visit,
} from '../../support/browser/payer.js';
import { totalCents, useShop } from '../../support/browser/shop.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

const shop = await useShop();
const secrets = [`secret-${randomUUID()}`];
const publicUrl = `${shop.origin}/pix`;

/** Hands a request on as a web server in front does, with its whole path. */
function createFront({ url }: RunningDemo): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const own of ['host', 'connection', 'content-length']) headers.delete(own);
    const isPost = request.method === 'POST';
    return fetch(new URL(pathname + search, url), {
      method: request.method,
      headers,
      ...(isPost && { body: await request.text() }),
    });
  };
}

for (const name of ['php', 'python'] as const) {
  describe(`a proxy in ${name}`, leftOutIf(whyNoProgram(name)), () => {
    let proxy: Promise<RunningDemo> | undefined;
    afterAll(async () => (await proxy)?.close());

    it('is paid end to end: one code through a reload, and the shop hears of it once', async (t) => {
      const { serviceUrl, accessToken, origin } = shop;
      proxy = startDemo(name, { serviceUrl, accessToken, secrets, origin, publicUrl });
      const demo = await proxy;
      shop.server.handlers.set('/pix', createFront(demo));
      const reference = `order-${randomUUID()}`;
      await demo.price(reference, 'open');
      const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
      const { page } = await visit(t, shop, {
        reference,
        attributes: { 'order-token': orderToken },
      });
      const code = await askForCode(page);
      assert.equal(await scanScreen(page), code);
      await page.reload();
      await untilPhase(page, 'awaiting');
      const [invoice, ...more] = shop.invoicesOf(reference);
      assert.deepEqual(more, []);
      await shop.settle(invoice!.invoiceId);
      await untilPhase(page, 'paid');

      const { detail } = await untilHeard(page, 'pix-paid');
      assert.deepEqual([detail?.['totalCents'], detail?.['externalId']], [totalCents, reference]);
      assert.deepEqual(await heardOf(page, 'pix-error'), []);
      assert.equal(await demo.payments(reference), 1);
      assert.equal(invoice!.request.payer?.cpf_cnpj, '52998224725');
      // Personal data and tokens stand in no line that it wrote.
      const written = demo.output();
      for (const secret of ['Maria', '52998224725', accessToken, ...secrets, orderToken]) {
        assert.ok(!written.includes(secret), `${secret} was written`);
      }
    });
  });
}

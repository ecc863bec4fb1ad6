/** The bank's page: what it shows, what its forms do, and what it refuses. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { colors, sizes } from '../../src/checkout/element/design-tokens.js';
import { openSandbox } from './open-sandbox.js';

const page = 'http://127.0.0.1/sandbox/';

function openBank() {
  const opened = openSandbox();
  const { sandbox } = opened;
  return {
    ...opened,
    read: async () => (await sandbox.fetch(page)).text(),
    submit: (fields: Record<string, string>) =>
      sandbox.fetch(page, { method: 'POST', body: new URLSearchParams(fields) }),
  };
}

describe('the page of the bank', () => {
  it('is strict, is never framed and has its two files', async () => {
    const { sandbox, read } = openBank();
    const { status, headers } = await sandbox.fetch(page);
    assert.equal(status, 200);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(/unsafe/.test(policy), false);
    assert.match(await read(), /No invoice yet/);
    for (const [file, type] of [
      ['bank.css', 'text/css'],
      ['bank.js', 'text/javascript'],
    ] as const) {
      const answer = await sandbox.fetch(page + file);
      assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`);
      assert.ok((await answer.text()).length > 100);
    }
    assert.equal((await sandbox.fetch(`${page}bank.svg`)).status, 404);
    assert.equal((await sandbox.fetch(page, { method: 'DELETE' })).status, 405);
    assert.equal((await sandbox.fetch('http://shop.example/sandbox/')).status, 403);
  });

  it('shows each invoice, newest first, and text of a browser as text', async () => {
    const { create, read } = openBank();
    const request = { method: 'pix', total_price_cents: 12_990 };
    await create({ ...request, external_id: 'first' });
    assert.match(await read(), /1 invoice, 0 charged/);
    await create({ ...request, external_id: '<b>"second"&', method: 'credit_card' });
    const text = await read();
    assert.ok(text.indexOf('&lt;b>&quot;second&quot;&amp;') < text.indexOf('first'));
    assert.equal(text.includes('<b>'), false);
    assert.equal(text.match(/<strong>R\$\s129,90/g)?.length, 2);
    assert.match(text, /2 invoices, 1 charged/);
  });

  const ends = [
    ['Pay', 'paid'],
    ['Refuse', 'refused'],
    ['Expire', 'expired'],
  ] as const;
  for (const [act, status] of ends) {
    it(`${act} makes an invoice ${status}, and shows the page again`, async () => {
      const { create, lookUp, submit, read } = openBank();
      const { invoice_id } = (await create()).body.data;
      const answer = await submit({ act, invoice_id });
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get('location'), '/sandbox/');
      assert.equal((await lookUp(invoice_id)).body.data['status'], status);
      assert.match(await read(), new RegExp(`${status}</span>`));
    });
  }

  it('spoils the next call once, or no more', async () => {
    const { create, submit, read } = openBank();
    await submit({ act: 'Set', fault: 'create server_error' });
    assert.match(await read(), /<li>create: server_error/);
    assert.equal((await create()).status, 500);
    assert.equal((await create()).status, 200);
    assert.equal(/<li>create/.test(await read()), false);
    await submit({ act: 'Set', fault: 'create server_error' });
    await submit({ act: 'Clear' });
    assert.equal((await create()).status, 200);
  });

  it('has the buttons of what waits in view, folds what has ended, and says what each button does', async () => {
    const { create, submit, read } = openBank();
    const { invoice_id } = (await create()).body.data;
    const waiting = await read();
    assert.match(waiting, /<li class="waiting">/);
    const buttons = (text: string) =>
      [...text.matchAll(/value="(\w+)" id="\1-/g)].map(([, act]) => act);
    assert.deepEqual(buttons(waiting), ['Pay', 'Refuse', 'Expire', 'Postback']);
    await submit({ act: 'Pay', invoice_id });
    const paid = await read();
    assert.doesNotMatch(paid, /class="waiting"/);
    assert.match(paid, new RegExp(`<li><details id="${invoice_id}">`));
    assert.deepEqual(buttons(paid), ['Return', 'Postback']);
    const explained = /<dl>(.*?)<\/dl>/s.exec(paid)?.[1] ?? '';
    for (const act of ['Pay', 'Refuse', 'Expire', 'Return', 'Postback']) {
      assert.match(explained, new RegExp(`<dt>[^<]*${act}`), act);
    }
  });

  it("has the element's colours and sizes", async () => {
    const { sandbox } = openBank();
    const rules = await (await sandbox.fetch(`${page}bank.css`)).text();
    for (const declaration of sizes.match(/--pix-[^;]+;/g) ?? [])
      assert.ok(rules.includes(declaration), declaration);
    for (const [name, [light, dark]] of Object.entries(colors))
      assert.ok(rules.includes(`--${name}:light-dark(${light},${dark});`), name);
  });

  it('refuses what is no form of it', async () => {
    const { submit } = openBank();
    assert.equal((await submit({ act: 'toString' })).status, 400);
    assert.equal((await submit({})).status, 400);
    assert.equal((await submit({ act: 'Set', fault: 'create nonsense' })).status, 400);
    assert.equal((await submit({ act: 'Pay', invoice_id: '../reset' })).status, 404);
  });
});

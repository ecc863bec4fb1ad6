/** Statuses that the options do not list: logged once, and without text that is no word. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { openInvoice } from '../support/open-invoice.js';
import { dataOf, openShop } from '../support/shop.js';
import type { Shop } from '../support/shop.js';
import { column } from '../../world/rows.js';

const notesOf = ({ log }: Shop) => log.filter(({ event }) => event === 'unknown_status');

describe('a status', () => {
  it('that is known or listed is not logged', async () => {
    for (const status of ['pending', 'paid', 'refused', 'canceled']) {
      const [shop, made, invoice] = await openInvoice();
      invoice.status = status;
      await dataOf(shop.lookUp(made));
      assert.deepEqual(notesOf(shop), []);
    }
  });

  it('that is not listed is logged once, with the word and what it was about', async () => {
    const shop = openShop({ statuses: { refused: ['denied'] } });
    for (const status of ['em_analise', 'em_analise', 'denied', 'refused']) {
      const made = await dataOf(shop.create({ externalId: `order-${shop.upstream.creates()}` }));
      shop.upstream.of(made).status = status;
      await shop.lookUp(made);
      await shop.clock.advance(2_000);
    }
    const [first] = shop.upstream.invoices.keys();
    assert.deepEqual(notesOf(shop)[0], {
      level: 'warn',
      event: 'unknown_status',
      operation: 'look_up',
      externalId: 'order-0',
      invoiceId: first,
      serviceStatus: 'em_analise',
    });
    assert.deepEqual(column(notesOf(shop), 'serviceStatus'), ['em_analise', 'refused']);
  });

  it('that is no word is told once, without it', async () => {
    const [shop, made, invoice] = await openInvoice();
    for (const status of ['ana@example.com', 'Ana Souza', '✓', 'paid now']) {
      invoice.status = status;
      await dataOf(shop.lookUp(made));
      await shop.clock.advance(2_000);
    }
    assert.deepEqual(
      notesOf(shop).map((entry) => 'serviceStatus' in entry),
      [false],
    );
  });

  it('of which there are always new ones does not fill the log', async () => {
    const [shop, made, invoice] = await openInvoice();
    for (let i = 0; i < 120; i++) {
      invoice.status = `word_${i}`;
      await dataOf(shop.lookUp(made));
      await shop.clock.advance(2_000);
    }
    assert.equal(notesOf(shop).length, 100);
  });
});

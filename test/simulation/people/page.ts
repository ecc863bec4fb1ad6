/**
 * A payer with a page: asks for a code or sends a card, repeats with the same key what was not answered, follows the
 * invoice, asks for another code, pays at last, and leaves when it pleases.
 *
 * Behaves as the element does, in a few lines: never sends a card twice under one key, and asks by its key instead.
 */

import { addressPrefix, payer, rawCard } from './canaries.js';
import type { Order } from './merchant.js';
import { cardOutcomes } from '../network/service.js';
import type { Service } from '../network/service.js';
import { browserHeaders } from '../network/street.js';
import type { Reply, Street, StreetRequest } from '../network/street.js';
import type { World } from '../world.js';

/** What a page works with. */
export interface PageParts {
  readonly world: World;
  readonly street: Street;
  readonly service: Service;
  readonly order: Order;
  readonly number: number;
  readonly holdSeconds: number;
}

interface Ticket {
  readonly id: string;
  readonly lookUpToken: string;
}

/** Opens a page. @returns what closes it for good */
export function openPage(parts: PageParts): () => void {
  const { world, street, service, order, number, holdSeconds } = parts;
  const { timeline, chance, watch } = world;
  const life = { isAlive: true };
  const remoteAddress = addressPrefix + (10 + number);
  let cards = 0;

  void visit();
  return () => {
    life.isAlive = false;
  };

  async function visit(): Promise<void> {
    const isRush = chance.happens(world.conditions().rush);
    await pause(0, isRush ? 30 : 10_000);
    let isCard = isRush ? order.totalCents % 2_000 === 0 : chance.happens(0.45);
    do {
      if (isCard) await payByCard();
      else await payByPix();
      await pause(1_000, 20_000);
      isCard = chance.happens(0.45);
      // A page that is opened once more, paid or not, asks for the order again.
    } while (chance.happens(0.5));
  }

  async function payByPix(replaces?: string): Promise<void> {
    let key = chance.uuid();
    for (let tries = 0; tries < 4; tries += 1) {
      const wish = replaces === undefined ? {} : { replaces };
      // A page that lost the answer asks for it with its key.
      const reply = (await post(key, { method: 'pix', payer, ...wish })) ?? (await ask(key));
      const ticket = reply && toTicket(reply);
      if (ticket) return follow(ticket, 'pix');
      if (reply?.code === 'order_paid' || reply?.code === 'order_closed') return;
      if (reply?.code === 'key_reused') key = chance.uuid();
      await pause(500, 5_000);
    }
  }

  /** A card leaves once for each key. What became of it is asked for by the key. */
  async function payByCard(): Promise<void> {
    cards += 1;
    const key = chance.uuid();
    const token = `${chance.pick(cardOutcomes)}-canary-${chance.uuid()}`;
    watch.cardTyped(key, token);
    const card = chance.happens(0.2) ? { token, ...rawCard } : { token };
    let reply = await post(key, { method: 'credit_card', payer, card }, 40_000);
    for (let asked = 0; asked < 8 && isOpen(reply); asked += 1) {
      await pause(1_000, 4_000);
      reply = await ask(key);
    }
    const ticket = reply && toTicket(reply);
    if (ticket) return follow(ticket, 'card');
    const mayTryAgain = ['payment_refused', 'not_found', 'service_unavailable'];
    if (cards > 3 || !mayTryAgain.includes(reply?.code ?? '')) return undefined;
    await pause(1_000, 8_000);
    return chance.happens(0.7) ? payByCard() : payByPix();
  }

  function ask(key: string): Promise<Reply | null> {
    const path = `/invoices?external_id=${order.externalId}`;
    const headers = { 'idempotency-key': key, 'order-token': order.token };
    return send({ method: 'GET', path, headers });
  }

  async function follow({ id, lookUpToken }: Ticket, method: 'pix' | 'card'): Promise<void> {
    if (method === 'pix' && chance.happens(0.6)) payLater(id);
    const looks = chance.between(1, 8);
    for (let looked = 0; looked < looks; looked += 1) {
      const wait = holdSeconds > 0 && chance.happens(0.8) ? `?wait=${chance.pick([5, 25])}` : '';
      const headers = { authorization: `Bearer ${lookUpToken}` };
      const path = `/invoices/${id}${wait}`;
      const reply = await send({ method: 'GET', path, headers, patienceMs: 35_000 });
      const isOver = reply?.data?.['status'] === 'paid' || reply?.code === 'payment_refused';
      // Now and then a page that is through is loaded again, and looks once more.
      if (isOver && chance.happens(0.5)) return undefined;
      if (method === 'pix' && chance.happens(0.12)) return payByPix(id);
      if (method === 'pix' && chance.happens(0.08)) return payByCard();
      if (wait === '' || isOver || !reply) await pause(1_000, 6_000);
    }
    return undefined;
  }

  /** In the bank app: the page may be gone by then. */
  function payLater(id: string): void {
    const delayMs = chance.happens(0.1)
      ? chance.between(120_000, 400_000)
      : chance.between(1_000, 60_000);
    timeline.after(delayMs, null, () => service.pay(id));
  }

  async function post(
    key: string,
    body: Record<string, unknown>,
    patienceMs = 20_000,
  ): Promise<Reply | null> {
    const { externalId: external_id, token: order_token } = order;
    // Now and then the page is loaded again meanwhile.
    const isReloaded = chance.happens(0.05);
    return send({
      method: 'POST',
      path: '/invoices',
      headers: { 'idempotency-key': key },
      body: { external_id, order_token, ...body },
      patienceMs: isReloaded ? chance.between(10, 3_000) : patienceMs,
    });
  }

  async function send(
    request: Pick<StreetRequest, 'method' | 'path' | 'headers'> & Partial<StreetRequest>,
  ): Promise<Reply | null> {
    const headers = { ...browserHeaders, ...request.headers };
    const rest = { body: null, patienceMs: 20_000, remoteAddress };
    return street.send({ ...rest, ...request, headers }, life);
  }

  function pause(leastMs: number, mostMs: number): Promise<void> {
    return timeline.pause(chance.between(leastMs, mostMs), life);
  }
}

/** It is not known how the card ended. */
function isOpen(reply: Reply | null): boolean {
  return (
    reply === null || ['in_progress', 'outcome_unknown', 'service_unavailable'].includes(reply.code)
  );
}

function toTicket({ status, data }: Reply): Ticket | null {
  if (status !== 200 || !data) return null;
  return { id: String(data['invoice_id']), lookUpToken: String(data['lookup_token']) };
}

/** An attacker: many keys, many look-ups, tokens and postbacks of their own making, all in a rush. */

import { addressPrefix, payer } from './canaries.js';
import type { Order } from './merchant.js';
import type { Service } from '../network/service.js';
import { browserHeaders } from '../network/street.js';
import type { Street, StreetRequest } from '../network/street.js';
import type { World } from '../world.js';

const noOwner = null;

/** Lets an attacker loose on an order whose page they may open. */
export function letStrangerIn(world: World, street: Street, service: Service, order: Order): void {
  const { timeline, chance, watch } = world;
  const remoteAddress = `${addressPrefix}9`;
  const { externalId: external_id, token: order_token } = order;
  const times = chance.between(5, 20);
  // Few keys: the same card comes again and again.
  const cards = [typeCard(), typeCard()] as const;
  let lookUp = { id: chance.uuid(), token: 'v1.forged.forged' };
  for (let time = 0; time < times; time += 1) {
    timeline.after(chance.between(0, 90_000), noOwner, () => void act());
  }

  function typeCard() {
    const key = chance.uuid();
    const token = `${chance.pick(['approve', 'refuse', 'decline'])}-canary-${chance.uuid()}`;
    watch.cardTyped(key, token);
    return { key, token };
  }

  async function act(): Promise<void> {
    const headers = { 'idempotency-key': chance.uuid() };
    switch (
      chance.pick(['code', 'new code', 'card', 'key', 'look', 'rush', 'postback', 'forged'])
    ) {
      case 'code':
      case 'new code': {
        const replaces = chance.happens(0.5) ? { replaces: lookUp.id } : {};
        const body = { method: 'pix', external_id, order_token, payer, ...replaces };
        const reply = await send('POST', '/invoices', headers, body);
        const data = reply?.status === 200 ? reply.data : null;
        if (data) lookUp = { id: String(data['invoice_id']), token: String(data['lookup_token']) };
        return;
      }
      case 'card': {
        const { key, token } = chance.pick(cards);
        const body = { method: 'credit_card', external_id, order_token, card: { token } };
        await send('POST', '/invoices', { 'idempotency-key': key }, body);
        return;
      }
      case 'key':
        await send('GET', '/invoices', headers);
        return;
      case 'look':
        await look();
        return;
      case 'rush':
        for (let time = 0; time < 6; time += 1)
          timeline.after(time * 90, noOwner, () => void look());
        return;
      case 'postback':
        await callBack();
        return;
      default:
        await post('/postbacks/v1.forged.forged', lookUp.id);
    }
  }

  async function look(): Promise<void> {
    await send('GET', `/invoices/${lookUp.id}`, { authorization: `Bearer ${lookUp.token}` });
  }

  function send(
    method: 'GET' | 'POST',
    path: string,
    own: Readonly<Record<string, string>>,
    body: StreetRequest['body'] = null,
  ) {
    const headers = { ...browserHeaders, ...own };
    const request = { method, path, headers, body, remoteAddress, patienceMs: 20_000 };
    return street.send(request, noOwner);
  }

  /** One who knows a good address says anything in the body. */
  async function callBack(): Promise<void> {
    const ofOrder = [...service.invoices.values()].filter((one) => one.externalId === external_id);
    const [first, ...others] = ofOrder;
    if (!first) return;
    const named = chance.pick([first, ...others]).id;
    const path = new URL(first.postbackUrl).pathname.replace(/^\/pay/, '');
    await post(path, chance.happens(0.8) ? named : chance.uuid());
  }

  async function post(path: string, id: string): Promise<void> {
    const body = { id, status: 'paid' };
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path, headers, body, remoteAddress } as const;
    await street.send({ ...request, patienceMs: 5_000 }, noOwner);
  }
}

/**
 * `/qa/…`: the routes of the QA column, beside the sandbox's own controls. No shop has them.
 *
 * They make orders, show what the shop was told and the proxy logged, and set the switches of proxy and bank. The page may name a price here, because it
 * plays the part of the shop's database.
 */

import * as z from 'zod/mini';
import { assumptions } from '../../src/sandbox/assumptions.js';
import { faultKinds } from '../../src/sandbox/faults.js';
import { exampleReference } from '../shop.js';
import type { Order, Shop } from '../shop.js';
import type { createProxyLog } from './proxy-log.js';
import { visitorOf } from './proxy-switch.js';
import type { ProxySwitch } from './proxy-switch.js';
import type { ShortPayments } from './short-payments.js';

const cents = z.nullable(z.int().check(z.minimum(1)));

const orderWish = z.strictObject({
  total_cents: cents,
  pix_total_cents: cents,
  expires_in: z.nullable(z.int().check(z.minimum(1))),
  status: z.enum(['open', 'paid', 'closed']),
});

const proxyWish = z.strictObject({
  line: z.enum(['up', 'slow', 'lossy', 'down']),
  hold: z.boolean(),
  cardFile: z.boolean(),
});

/** What the routes work on. */
export interface QaParts {
  readonly shop: Shop;
  readonly proxySwitch: ProxySwitch;
  readonly proxyLog: ReturnType<typeof createProxyLog>;
  readonly shortPayments: ShortPayments;
}

/** What the shop knows about an order. */
export interface ShopRecord {
  /** Null: no such order. */
  readonly status: Order['status'] | null;
  /** Invoices that `onPaid` was called for, once each. */
  readonly paidInvoiceIds: readonly string[];
  /** What `onReturned` told of the order, once each. */
  readonly returnedAs: readonly string[];
}

export function createQaRoutes({ shop, proxySwitch, proxyLog, shortPayments }: QaParts) {
  const { orders, payments, returns } = shop;
  const example = orders.get(exampleReference);
  if (!example) throw new Error('The shop has no example order');
  const { pixTotalCents: examplePixCents, ...rest } = example;

  return async function answer(request: Request): Promise<Response> {
    const [, , room, name] = new URL(request.url).pathname.split('/');
    const route = `${request.method} ${room}`;
    if (route === 'GET about') return Response.json({ faultKinds, assumptions });
    if (route === 'GET log') return Response.json(proxyLog.entries);
    if (route === 'PUT short-payments' && name) {
      shortPayments.mark(name);
      return Response.json({});
    }
    if (route === 'GET orders' && name)
      return Response.json(toShopRecord(decodeURIComponent(name)));
    const body: unknown = await request.json().catch(() => null);
    if (route === 'PUT proxy') {
      const wish = z.safeParse(proxyWish, body);
      if (!wish.success) return refuse(400);
      const visitor = visitorOf(request.headers.get('cookie')) ?? crypto.randomUUID();
      proxySwitch.set(visitor, wish.data);
      const headers = { 'Set-Cookie': `qa-visitor=${visitor}; Path=/; SameSite=Strict` };
      return Response.json(wish.data, { headers });
    }
    if (route === 'PUT orders' && name) {
      const wish = z.safeParse(orderWish, body);
      if (!wish.success) return refuse(400);
      orders.set(decodeURIComponent(name), toOrder(wish.data));
      return Response.json(wish.data);
    }
    return refuse(404);
  };

  function toShopRecord(reference: string): ShopRecord {
    const told = [...payments.values()].filter(({ externalId }) => externalId === reference);
    const returned = [...returns.values()].filter(({ externalId }) => externalId === reference);
    return {
      status: orders.get(reference)?.status ?? null,
      paidInvoiceIds: told.map(({ invoiceId }) => invoiceId),
      returnedAs: returned.map(({ status }) => status),
    };
  }

  /** The example order, at another price if one is given; a line shows the difference, so that the page adds up. */
  function toOrder({ total_cents, pix_total_cents, expires_in, status }: OrderWish): Order {
    const pixTotalCents = pix_total_cents ?? (total_cents === null ? examplePixCents : undefined);
    const totalCents = total_cents ?? rest.totalCents;
    const adjustment = totalCents - rest.totalCents;
    return {
      ...rest,
      lines:
        adjustment === 0 ? rest.lines : [...rest.lines, { label: 'Ajuste', cents: adjustment }],
      totalCents,
      ...(pixTotalCents === undefined ? {} : { pixTotalCents }),
      ...(expires_in === null ? {} : { expiresInSeconds: expires_in }),
      status,
    };
  }
}

type OrderWish = z.infer<typeof orderWish>;

function refuse(status: number): Response {
  return Response.json({ error: status === 404 ? 'No such route' : 'Not valid' }, { status });
}

/**
 * Holds a running proxy against the points: brings about what is given, sends the request, compares. Knows no proxy and no
 * language; the service behind it is the sandbox.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { signOrder } from '../../src/proxy.js';
import { faultsOf } from '../support/openapi-check.js';
import type { Given, Point, PointRequest } from './points.js';

/** A proxy under test, and what stands around it. */
export interface Subject {
  /** Where it listens, with the path of `publicUrl`. */
  readonly url: string;
  readonly publicUrl: string;
  readonly secrets: readonly string[];
  /** A page that may call it. */
  readonly origin: string;
  readonly service: Service;
  /** The shop's own books. Null: the order is not known there. */
  price(reference: string, order: 'open' | 'paid' | 'closed' | null): Promise<void>;
  /** Lets an hour pass, and the proxy look for payments by itself. */
  reconcile(): Promise<void>;
  /** How often the shop was told that this order is paid. */
  payments(reference: string): Promise<number>;
}

/** The invoice service as a test steers it. */
export interface Service {
  settle(invoiceId: string): Promise<void>;
  setFaults(faults: readonly { on: 'create' | 'look_up'; kind: string }[]): Promise<void>;
  /** Answers with a redirection to a stranger. */
  sendElsewhere(isWanted: boolean): void;
  /** How many requests have come to the stranger. */
  visitsElsewhere(): number;
  /** What was asked of it for an order, oldest first. */
  requestsOf(reference: string): readonly { readonly postback_url?: string | undefined }[];
  countLookUps(): Promise<number>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly code?: unknown;
    readonly detail?: unknown;
    readonly data?: Record<string, unknown>;
  };
}

const faults: Partial<Record<Given, { on: 'create' | 'look_up'; kind: string }>> = {
  'a payment of another total': { on: 'look_up', kind: 'wrong_total' },
  'a payment of another order': { on: 'look_up', kind: 'foreign_reference' },
  'a service that is down': { on: 'create', kind: 'server_error' },
  'a service that answers for another order': { on: 'create', kind: 'foreign_reference' },
  'a service that answers another total': { on: 'create', kind: 'wrong_total' },
  'a service that answers no JSON': { on: 'create', kind: 'invalid_json' },
};

/** Checks one point. @throws AssertionError */
export async function check(subject: Subject, point: Point): Promise<void> {
  const { service } = subject;
  const values = await prepare(subject, point.given);
  const lookUps = await service.countLookUps();
  const fault = faults[point.given];
  await service.setFaults(fault ? [fault] : []);
  service.sendElsewhere(point.given === 'a service that sends the caller elsewhere');
  try {
    const { request } = point;
    if (request === 'reconcile') await subject.reconcile();
    else await compare(point, values, await sendAll(subject, request, values));
    const isHint = request !== 'reconcile' && request.path === '{postback}';
    if (isHint) await until(async () => (await service.countLookUps()) > lookUps);
  } finally {
    service.sendElsewhere(false);
    await service.setFaults([]);
  }
  assert.equal(service.visitsElsewhere(), 0, 'the access token was sent to a stranger');
  const { invoices, payments } = point.expect;
  const reference = values['order']!;
  if (invoices !== undefined) assert.equal(service.requestsOf(reference).length, invoices);
  if (payments === undefined) return;
  await until(async () => (await subject.payments(reference)) >= payments);
  assert.equal(await subject.payments(reference), payments, 'payments that the shop heard of');
}

/** Brings about what is given. @returns the values of the placeholders */
async function prepare(subject: Subject, given: Given): Promise<Record<string, string>> {
  const { secrets, publicUrl, origin, service } = subject;
  const order = `order-${randomUUID()}`;
  const books = {
    'a paid order': 'paid',
    'a closed order': 'closed',
    'an unknown order': null,
  } as const;
  await subject.price(order, given in books ? books[given as keyof typeof books] : 'open');
  const tokens = { secrets, publicUrl, externalId: order };
  const longAgo = () => Date.now() - 48 * 3_600_000;
  const values: Record<string, string> = {
    order,
    origin,
    order_token: await signOrder(tokens),
    other_token: await signOrder({ ...tokens, externalId: 'another-order' }),
    expired_token: await signOrder({ ...tokens, now: longAgo }),
  };
  if (!/code|receipt|payment/.test(given)) return values;
  const { body } = await send(subject, { method: 'POST', path: '/invoices' }, values);
  values['invoice_id'] = String(body.data?.['invoice_id']);
  values['lookup_token'] = String(body.data?.['lookup_token']);
  const postback = new URL(
    service.requestsOf(order)[0]?.postback_url ?? assert.fail('no postback'),
  );
  values['postback'] = postback.href.slice(publicUrl.length);
  if (given === 'an open code') return values;
  await service.settle(values['invoice_id']);
  const lookUp = { method: 'GET', path: '/invoices/{invoice_id}' };
  if (given === 'a receipt') await send(subject, lookUp, values);
  return values;
}

function sendAll(
  subject: Subject,
  request: PointRequest,
  values: Readonly<Record<string, string>>,
): Promise<Answer[]> {
  const all = Array.from({ length: request.times ?? 1 }, () => send(subject, request, values));
  return Promise.all(all);
}

async function send(
  { url, origin }: Subject,
  { method, path, headers: own = {}, body: fields = {} }: PointRequest,
  values: Readonly<Record<string, string>>,
): Promise<Answer> {
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`);
  const body = {
    method: 'pix',
    external_id: '{order}',
    order_token: '{order_token}',
    ...(typeof fields === 'string' ? {} : fields),
  };
  const usual = {
    origin,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    authorization: 'Bearer {lookup_token}',
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries({ ...usual, ...own })) {
    if (value !== null) headers.set(name, fill(value));
  }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const text = typeof fields === 'string' ? fields : JSON.stringify(given);
  const response = await fetch(url + fill(path), {
    method,
    headers,
    redirect: 'manual',
    ...(method === 'POST' ? { body: fill(text) } : {}),
  });
  const [route = ''] = fill(path).split('?');
  assert.deepEqual(await faultsOf(method, route, response), [], 'as the OpenAPI document says');
  const answered = await response.text();
  const json: unknown = answered === '' ? {} : JSON.parse(answered);
  return { status: response.status, headers: response.headers, body: json as Answer['body'] };
}

async function compare(
  { expect }: Point,
  values: Readonly<Record<string, string>>,
  answers: readonly Answer[],
): Promise<void> {
  const fill = (value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
      : value;
  const statuses = [expect.status].flat();
  for (const { status, headers, body } of answers) {
    assert.ok(statuses.includes(status), `${status} ${JSON.stringify(body)}`);
    if (expect.code !== undefined) {
      assert.equal(body.code, expect.code);
      assert.equal(headers.get('content-type')?.split(';', 1)[0], 'application/problem+json');
      if (body.code === 'invalid_request') assert.ok(body.detail, 'detail names the field');
    }
    for (const [name, value] of Object.entries(expect.data ?? {})) {
      assert.equal(body.data?.[name], fill(value), name);
    }
    for (const [name, value] of Object.entries(expect.headers ?? {})) {
      assert.equal(headers.get(name)?.toLowerCase() ?? null, fill(value), name);
    }
    const more = Object.keys(body.data ?? {}).filter(
      (name) => !(expect.only ?? [name]).includes(name),
    );
    assert.deepEqual(more, [], 'fields that no page may see');
  }
  const ids = answers.map(({ body }) => body.data?.['invoice_id']);
  if (answers.length > 1) assert.equal(new Set(ids).size, 1, 'one invoice for all of them');
}

/** Waits for a condition. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 20_000;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAtMs) assert.fail('what the point waits for never came');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

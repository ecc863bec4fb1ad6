/**
 * Holds a running proxy against the points: brings about what is given, sends the request, compares. Knows no proxy and no
 * language; the service behind it is the sandbox.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { answerPoints } from '../../src/cli/check/answer-points.js';
import { findDifference } from '../../src/cli/check/compare-answers.js';
import type { PointRequest, Values } from '../../src/cli/check/point.js';
import { fill } from '../../src/cli/check/point.js';
import { toFirstValues, toKept } from '../../src/cli/check/run-check.js';
import { sendRequest } from '../../src/cli/check/send-request.js';
import type { Answer } from '../../src/cli/check/send-request.js';
import { signOrder } from '../../src/proxy.js';
import { faultsOf } from '../support/openapi-check.js';
import type { Given, SteeredPoint } from './points.js';

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

const faults: Partial<Record<Given, { on: 'create' | 'look_up'; kind: string }>> = {
  'a payment of another total': { on: 'look_up', kind: 'wrong_total' },
  'a payment of another order': { on: 'look_up', kind: 'foreign_reference' },
  'a service that is down': { on: 'create', kind: 'server_error' },
  'a service that answers for another order': { on: 'create', kind: 'foreign_reference' },
  'a service that answers another total': { on: 'create', kind: 'wrong_total' },
  'a service that answers no JSON': { on: 'create', kind: 'invalid_json' },
};

/** Checks one point. @throws AssertionError */
export async function check(subject: Subject, point: SteeredPoint): Promise<void> {
  const { service } = subject;
  const values = await prepare(subject, point.given);
  const lookUps = await service.countLookUps();
  const fault = faults[point.given];
  await service.setFaults(fault ? [fault] : []);
  service.sendElsewhere(point.given === 'a service that sends the caller elsewhere');
  try {
    const { request } = point;
    if (request === 'reconcile') await subject.reconcile();
    else compare(point, values, await sendAll(subject, request, values));
    const isHint = request !== 'reconcile' && request.path === '{postback}';
    if (isHint) await until(async () => (await service.countLookUps()) > lookUps);
  } finally {
    service.sendElsewhere(false);
    await service.setFaults([]);
  }
  assert.equal(service.visitsElsewhere(), 0, 'the access token was sent to a stranger');
  const { invoices, payments } = point.expect;
  const reference = String(values['order']);
  if (invoices !== undefined) assert.equal(service.requestsOf(reference).length, invoices);
  if (payments === undefined) return;
  await until(async () => (await subject.payments(reference)) >= payments);
  assert.equal(await subject.payments(reference), payments, 'payments that the shop heard of');
}

/** Brings about what is given. @returns the values of the placeholders */
async function prepare(subject: Subject, given: Given): Promise<Values> {
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
  const orderToken = await signOrder(tokens);
  const values: Record<string, string | number> = {
    ...toFirstValues({ order, orderToken, origin }),
    expired_token: await signOrder({ ...tokens, now: longAgo }),
  };
  if (given === 'a key that is barred') {
    const asked = { 'idempotency-key': '{lost_key}' };
    const question = { method: 'GET', path: '/invoices?external_id={order}', headers: asked };
    return { ...values, ...toKept('barred_key', await send(subject, question, values), values) };
  }
  if (!/code|receipt|payment/.test(given)) return values;
  const headers = { 'idempotency-key': '{key}' };
  const answer = await send(subject, { method: 'POST', path: '/invoices', headers }, values);
  Object.assign(values, toKept('invoice', answer, values));
  const postback = new URL(
    service.requestsOf(order)[0]?.postback_url ?? assert.fail('no postback'),
  );
  values['postback'] = postback.href.slice(publicUrl.length);
  if (given === 'an open code') return values;
  await service.settle(String(values['invoice_id']));
  const lookUp = { method: 'GET', path: '/invoices/{invoice_id}' };
  if (given === 'a receipt') await send(subject, lookUp, values);
  return values;
}

function sendAll(subject: Subject, request: PointRequest, values: Values): Promise<Answer[]> {
  const all = Array.from({ length: request.times ?? 1 }, () => send(subject, request, values));
  return Promise.all(all);
}

async function send({ url }: Subject, request: PointRequest, values: Values): Promise<Answer> {
  const answer = await sendRequest({ endpoint: url, timeoutMs: 60_000 }, request, values);
  const { status, headers, text } = answer;
  const [route = ''] = fill(request.path, values).split('?');
  const response = new Response(text === '' ? null : text, { status, headers });
  assert.deepEqual(
    await faultsOf(request.method, route, response),
    [],
    'as the OpenAPI document says',
  );
  for (const { name, isAbout = () => true, findFault } of answerPoints) {
    // The answers of a service that lies have its total.
    if (isAbout(answer, values)) assert.equal(findFault(answer, values), null, name);
  }
  return answer;
}

function compare({ expect }: SteeredPoint, values: Values, answers: readonly Answer[]): void {
  const came = answers.map(({ status, text }) => `${status} ${text}`).join('\n');
  assert.equal(findDifference(expect, values, answers), null, came);
}

/** Waits for a condition. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 20_000;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAtMs) assert.fail('what the point waits for never came');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

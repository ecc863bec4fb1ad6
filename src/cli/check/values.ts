/** Values of a run, by the names that stand in points: what is given for it, and what is kept of answers for later points. */

import { randomUUID } from 'node:crypto';
import { isErrorCode } from '../../contract/codes.js';
import { createdAnswerSchema } from '../../contract/schemas.js';
import { isNotFound } from './compare-answers.js';
import type { Group, KeptValues, Values } from './point.js';
import type { Answer, Target } from './send-request.js';
import { tamper, toTokenValues, toUnsigned } from './wrong-tokens.js';

/** An order, and the token of its page. */
interface TestOrder {
  readonly order: string;
  readonly orderToken?: string | undefined;
}

/** A proxy to check, and what its merchant gives for it. */
export interface CheckedProxy extends Target, TestOrder {
  /** Order tokens of that order by the names of values: those that have ended, and one that ends soon. */
  readonly agedTokens?: Readonly<Record<string, string | undefined>> | undefined;
  /** An order that the shop does not know, with a valid token. Default: one without a token. */
  readonly otherOrder?: TestOrder | undefined;
  /** Another order that is open. */
  readonly secondOrder?: TestOrder | undefined;
  /** What the order costs by Pix, integer cents. */
  readonly totalCents?: number | undefined;
  /** Of a page that may call it. */
  readonly origin?: string | undefined;
  /** Will be charged. */
  readonly cardToken?: string | undefined;
  /** It is in PCI DSS scope, and takes card numbers. */
  readonly takesNumbers?: boolean | undefined;
  /** The one group that is told. What its points need is sent all the same. */
  readonly only?: Group | undefined;
  /** How long a body stalls, milliseconds. */
  readonly stallMs: number;
  /** How long a look-up may wait beside a creation, seconds. */
  readonly waitSeconds: number;
}

const noLookUpToken = 'no creation gave a lookup_token';
const noSecondOrder = 'give --second-order, another order that is open';
const secret = 'give --secret';

/** Why a value is not known. */
export const reasons: Readonly<Record<string, string>> = {
  order_token: 'give --token; without order tokens, all who guess a reference see its code',
  tampered_token: 'give --token',
  rewritten_token: 'the order token has no payload that can be read',
  unsigned_token: 'the order token has no signature of its own',
  expired_token: 'give --expired-token, or --secret',
  expired_now_token: secret,
  expired_hour_token: secret,
  expired_zone_token: secret,
  ending_token: secret,
  other_order_token:
    'give --secret: it needs the valid token of an order that the shop does not know',
  longer_order: 'the reference is too long',
  origin: 'give --origin',
  origin_suffix: 'give --origin',
  card_token: 'give --card-token: it will be charged',
  takes_no_numbers: 'your server takes card numbers (--raw-card)',
  barred_key: 'no attempt was answered not_found',
  failed_card: 'no charge has failed',
  card_invoice_id: 'no card was answered with an invoice',
  open_card: 'no card was charged',
  lookup_token: noLookUpToken,
  tampered_lookup_token: noLookUpToken,
  unsigned_lookup_token: 'no creation gave a lookup_token with a signature of its own',
  second_invoice_id: 'no code was replaced',
  second_order: noSecondOrder,
  second_token: `${noSecondOrder}, with --second-token or --secret`,
  code_of_second: noSecondOrder,
};

/** What is known before any request. */
export function toFirstValues(proxy: CheckedProxy): Record<string, string | number> {
  const { order, orderToken, agedTokens, origin, cardToken, secondOrder, totalCents } = proxy;
  const none: TestOrder = { order: `check-${randomUUID()}` };
  const other = proxy.otherOrder ?? none;
  const isOpen = orderToken === undefined;
  const keys = 'key refused_key lost_key get_key held_key failed_key card_key'.split(' ');
  return onlyKnown({
    order,
    longer_order: order.length < 64 ? `${order}0` : undefined,
    other_order: other.order,
    other_order_token: other.orderToken ?? (isOpen ? '' : undefined),
    second_order: secondOrder?.order,
    second_token: secondOrder && (secondOrder.orderToken ?? (isOpen ? '' : undefined)),
    ...Object.fromEntries(keys.map((name) => [name, randomUUID()])),
    ...(orderToken !== undefined && {
      order_token: orderToken,
      ...toTokenValues(orderToken, order, other.order),
    }),
    ...agedTokens,
    origin,
    origin_suffix: origin?.replace('://', '://evil-'),
    true_cents: totalCents,
    card_token: cardToken,
    takes_no_numbers: proxy.takesNumbers ? undefined : 1,
    wait_seconds: proxy.waitSeconds,
  });
}

/** What the points that follow need of the answers to one. What cannot be read or sent is not kept. */
export function toKept(name: KeptValues, answers: readonly Answer[], known: Values): Values {
  const { status, body, tookMs } = answers.find(({ status: one }) => one === 200) ?? answers[0]!;
  if (name === 'usual_time') return { usual_ms: tookMs };
  if (name === 'failed_card')
    return status !== 200 && isErrorCode(body['code']) ? { failed_card: 1 } : {};
  if (name === 'barred_key') {
    return isNotFound({ status, body }) ? { barred_key: known['lost_key'] ?? '' } : {};
  }
  if (name === 'card_invoice' && body['code'] === 'outcome_unknown') return { open_card: 1 };
  const read = createdAnswerSchema.safeParse(body);
  if (status !== 200 || !read.success) return {};
  const { invoice_id: id, qr_code_pix, lookup_token: token, total_cents } = read.data.data;
  const code = qr_code_pix ?? '';
  const sendable = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  switch (name) {
    case 'card_invoice':
      return { card_invoice_id: id, open_card: 1 };
    case 'second_invoice':
      return id === known['invoice_id'] ? {} : { second_invoice_id: id, second_code: code };
    case 'second_order':
      return onlyKnown({ code_of_second: code, second_order_lookup_token: sendable });
    default:
      return onlyKnown({
        invoice_id: id,
        code,
        total_cents,
        more_cents: total_cents + 1,
        less_cents: total_cents - 1,
        base64_invoice_id: btoa(id),
        lookup_token: sendable,
        tampered_lookup_token: sendable && tamper(sendable),
        unsigned_lookup_token: sendable && toUnsigned(sendable),
      });
  }
}

/** A value that is not known has no name: its points are not checked. */
function onlyKnown(given: Readonly<Record<string, Values[string] | undefined>>) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, Values[string]>;
}

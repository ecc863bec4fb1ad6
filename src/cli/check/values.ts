/** The values that points name in braces. The caller gives them, or answers bring them for later points. */

import { randomUUID } from 'node:crypto';
import { isErrorCode } from '../../contract/codes.js';
import { createdAnswerSchema } from '../../contract/schemas.js';
import type { Group, KeptValues, Values } from './point.js';
import type { Answer, Target } from './send-request.js';
import { parseObject } from '../json-object.js';

/** An order, and the token of its page. */
interface TestOrder {
  readonly order: string;
  readonly orderToken?: string | undefined;
}

/** A proxy to check, and what its merchant gives for it. */
export interface CheckedProxy extends Target, TestOrder {
  /**
   * Tokens made with the secret, by the names of values: for the order, expired or about to expire, and for similar
   * references.
   */
  readonly madeTokens?: Readonly<Record<string, string | undefined>> | undefined;
  /** An order that the shop does not know, with a valid token. Default: one without a token. */
  readonly otherOrder?: TestOrder | undefined;
  /** Another order that can be paid. */
  readonly secondOrder?: TestOrder | undefined;
  /** What the order costs by Pix, integer cents. */
  readonly totalCents?: number | undefined;
  /** The origin of a page that may call the proxy. */
  readonly origin?: string | undefined;
  /** The token of a card, which is charged. */
  readonly cardToken?: string | undefined;
  /** Whether the proxy takes card numbers, which puts it in PCI DSS scope. */
  readonly takesNumbers?: boolean | undefined;
  /** The only group that is reported. Requests on which its points depend are sent all the same. */
  readonly only?: Group | undefined;
  /** How long a look-up may wait beside a creation, seconds. */
  readonly waitSeconds: number;
  /** How long after the beginning the last points run at the earliest, milliseconds. */
  readonly lateMs: number;
}

const noSecondOrder = 'give --second-order, another order that is open';

/** Why a value may be missing. */
const missingReasons: readonly (readonly [reason: string, names: string])[] = [
  ['give --token; without order tokens, all who guess a reference see its code', 'order_token'],
  ['give --token', 'tampered_token'],
  ['the order token has no payload that can be read', 'rewritten_token'],
  ['the order token has no signature of its own', 'unsigned_token'],
  ['give --expired-token, or --secret', 'expired_token'],
  ['give --secret', 'expired_now_token expired_hour_token expired_zone_token ending_token'],
  ['give --secret', 'order_line_token order_space_token order_case_token order_zero_token'],
  ['give --secret', 'order_decimal_token'],
  [
    'give --secret: it needs a valid token of an order that the shop does not know',
    'other_order_token',
  ],
  ['the reference is too long', 'longer_order'],
  ['the reference has no letters', 'order_case'],
  ['the reference is no number', 'order_zero order_decimal'],
  ['give --origin', 'origin origin_prefix origin_suffix origin_substring origin_dot origin_scheme'],
  ['give --card-token: it will be charged', 'card_token'],
  ['your server takes card numbers (--raw-card)', 'takes_no_numbers'],
  ['no attempt was answered not_found', 'barred_key'],
  ['no charge has failed', 'failed_card'],
  ['no card was answered with an invoice', 'card_invoice_id'],
  ['no card was charged', 'open_card'],
  ['no creation gave a lookup_token', 'lookup_token tampered_lookup_token'],
  ['no creation gave a lookup_token with a signature of its own', 'unsigned_lookup_token'],
  ['no code was replaced', 'second_invoice_id'],
  [noSecondOrder, 'second_order second_order_lookup_token code_of_second id_of_second'],
  [`${noSecondOrder}, with --second-token or --secret`, 'second_token'],
  ['give --sandbox, the address of the sandbox behind the proxy', 'sandbox'],
];

/** The reasons by the names of values. */
export const reasons: Readonly<Record<string, string>> = Object.fromEntries(
  missingReasons.flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason])),
);

/** References that some languages and databases treat as equal to the order's. */
export function toReferencesAlike(order: string): Record<string, string | undefined> {
  const isNumber = /^\d+$/.test(order);
  const upper = order.toUpperCase();
  const other = upper === order ? order.toLowerCase() : upper;
  return {
    order_line: `${order}\n`,
    order_two_lines: `${order}\ncheck`,
    order_space: ` ${order}`,
    order_case: other === order ? undefined : other,
    order_zero: isNumber ? `0${order}` : undefined,
    order_decimal: isNumber ? `${order}.0` : undefined,
  };
}

/** The values that are known before the first request. */
export function toFirstValues(proxy: CheckedProxy): Record<string, string | number> {
  const { order, orderToken, madeTokens, cardToken, secondOrder, totalCents, sandbox } = proxy;
  const other = proxy.otherOrder ?? { order: `check-${randomUUID()}` };
  const isOpen = orderToken === undefined;
  const keys = 'key refused_key lost_key get_key held_key failed_key card_key pix_lost_key'.split(
    ' ',
  );
  return dropUnknown({
    order,
    ...toReferencesAlike(order),
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
    ...madeTokens,
    ...toOrigins(proxy.origin),
    true_cents: totalCents,
    card_token: cardToken,
    takes_no_numbers: proxy.takesNumbers ? undefined : 1,
    wait_seconds: proxy.waitSeconds,
    payer_name: proxy.payer['name'],
    sandbox,
  });
}

/** The origin of the shop's page, and origins that a careless comparison takes for it. */
function toOrigins(known: string | undefined) {
  if (known === undefined) return {};
  const { host, protocol } = new URL(known);
  return {
    origin: known,
    origin_prefix: `${known}.evil.example`,
    origin_suffix: known.replace('://', '://evil-'),
    origin_substring: `https://evil-${host}.evil.example`,
    // Without a dot, as in localhost, this would be the shop's own host.
    origin_dot: host.includes('.') ? known.replace(/(:\/\/[^.]*)\./, '$1x') : undefined,
    origin_scheme: known.replace(protocol, protocol === 'https:' ? 'http:' : 'https:'),
  };
}

/** Takes the values that later points need out of answers. A value that cannot be read or sent is not kept. */
export function toKept(name: KeptValues, answers: readonly Answer[], known: Values): Values {
  const { status, body, tookMs } = answers.find(({ status: one }) => one === 200) ?? answers[0]!;
  const { code } = body;
  if (name === 'usual_time') return { usual_ms: tookMs };
  if (name === 'failed_card') return status !== 200 && isErrorCode(code) ? { failed_card: 1 } : {};
  if (name === 'barred_key')
    return code === 'not_found' && status === 404 ? { barred_key: known['lost_key'] ?? '' } : {};
  if (name === 'card_invoice' && code === 'outcome_unknown') return { open_card: 1 };
  const read = createdAnswerSchema.safeParse(body);
  if (status !== 200 || !read.success) return {};
  const { invoice_id: id, qr_code_pix, lookup_token: token, total_cents } = read.data.data;
  const qrCode = qr_code_pix ?? '';
  const sendable = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  switch (name) {
    case 'card_invoice':
      return { card_invoice_id: id, open_card: 1 };
    case 'second_invoice':
      return id === known['invoice_id'] ? {} : { second_invoice_id: id, second_code: qrCode };
    case 'second_order':
      return dropUnknown({
        code_of_second: qrCode,
        id_of_second: id,
        second_order_lookup_token: sendable,
      });
    default:
      return dropUnknown({
        invoice_id: id,
        code: qrCode,
        total_cents,
        more_cents: total_cents + 1,
        less_cents: total_cents - 1,
        expires_in: read.data.data.expires_in ?? undefined,
        base64_invoice_id: btoa(id),
        lookup_token: sendable,
        tampered_lookup_token: sendable && tamper(sendable),
        unsigned_lookup_token: sendable && toUnsigned(sendable),
      });
  }
}

/** Removes names of unknown values, so that their points are not checked. */
function dropUnknown(given: Readonly<Record<string, Values[string] | undefined>>) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, Values[string]>;
}

// Makes wrong tokens from a right one, for a careful proxy to refuse. The token may have any format that consists of parts,
// with the signature last.

export function toTokenValues(token: string, order: string, otherOrder: string) {
  return {
    tampered_token: tamper(token),
    unsigned_token: toUnsigned(token),
    rewritten_token: renameOrder(token, order, otherOrder),
    forged_token: `v1.${toBase64Url(JSON.stringify({ e: order, x: 9_999_999_999 }))}.${'A'.repeat(43)}`,
    alg_none_token: toUnsecuredToken('none', token, order),
    alg_None_token: toUnsecuredToken('None', token, order),
  };
}

/** Drops the signature. @returns undefined if no part of the token can be a signature */
function toUnsigned(token: string): string | undefined {
  const dot = token.lastIndexOf('.');
  return dot > 0 ? token.slice(0, dot + 1) : undefined;
}

/** Changes the first letter of the signature, because the last letter may contain unused bits. */
function tamper(token: string): string {
  const dot = token.lastIndexOf('.');
  const at = dot < 0 ? Math.floor(token.length / 2) : dot + 1;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

/** Puts another order into the payload. @returns undefined if no part is JSON that names the order */
function renameOrder(token: string, order: string, otherOrder: string): string | undefined {
  const parts = token.split('.');
  for (const [at, part] of parts.entries()) {
    const payload = toPayload(part);
    const named = Object.entries(payload ?? {}).find(([, value]) => value === order);
    if (!named) continue;
    parts[at] = toBase64Url(JSON.stringify({ ...payload, [named[0]]: otherOrder }));
    return parts.join('.');
  }
  return undefined;
}

/** A JSON Web Token that names no algorithm (RFC 7519 section 6), with the token's own payload or the usual claims. */
function toUnsecuredToken(alg: string, token: string, order: string): string {
  const named = token
    .split('.')
    .find((part) => Object.values(toPayload(part) ?? {}).includes(order));
  const claims = { sub: order, order, external_id: order, exp: 9_999_999_999 };
  const payload = named ?? toBase64Url(JSON.stringify(claims));
  return `${toBase64Url(JSON.stringify({ alg, typ: 'JWT' }))}.${payload}.`;
}

function toPayload(part: string) {
  return parseObject(Buffer.from(part, 'base64url').toString());
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

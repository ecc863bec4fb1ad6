/**
 * Makes wrong tokens of a right one: a careful proxy refuses them. They are made of a token of any format: it has parts, and the
 * last one is the signature.
 */

import { parseObject } from '../json-object.js';

/** Wrong tokens of an order, by the names that points give them. */
export function toTokenValues(token: string, order: string, otherOrder: string) {
  return {
    tampered_token: tamper(token),
    unsigned_token: toUnsigned(token),
    rewritten_token: rewrite(token, order, otherOrder),
    forged_token: `v1.${toBase64Url(JSON.stringify({ e: order, x: 9_999_999_999 }))}.${'A'.repeat(43)}`,
    alg_none_token: withoutAlgorithm('none', token, order),
    alg_None_token: withoutAlgorithm('None', token, order),
  };
}

/** The token without its signature. Undefined: it has no part of its own for one. */
export function toUnsigned(token: string): string | undefined {
  const dot = token.lastIndexOf('.');
  return dot > 0 ? token.slice(0, dot + 1) : undefined;
}

/** Changes the first letter of the signature: the last ones may hold bits that mean nothing. */
export function tamper(token: string): string {
  const dot = token.lastIndexOf('.');
  const at = dot < 0 ? Math.floor(token.length / 2) : dot + 1;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

/** The same token, its payload naming another order: still valid JSON. Undefined: no part is JSON that names the order. */
function rewrite(token: string, order: string, otherOrder: string): string | undefined {
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
function withoutAlgorithm(alg: string, token: string, order: string): string {
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

/** No path reaches another host, leaves the base address, or arrives as another path than the one that was written. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import fc from 'fast-check';
import { toRequestUrl } from '../../src/service/free-request.js';
import { anyText, forAny } from '../support/tables.js';

const origin = 'https://service.example';
const prefixes = ['', '/prefix', '/a/b'];

/** What a path is made of, and what has been used to break out of one. */
const pieces = [
  '/ // /api v2 INV-0001 . .. ... /../ /./ ..; ;x=1 \\ \\\\ %2e %2E%2e %2f %5c %252e %00 %'.split(
    ' ',
  ),
  '? # & = @ : https: //evil.example @evil.example [::1] ． ／ 。 é ~ + , \' " < | {'.split(' '),
  ['\t', '\n', '\r', ' ', '\0', '\u2028', '\ud800'],
].flat();

const text = fc.oneof(
  anyText({ maxLength: 12 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join('')),
);
const path = fc.oneof(
  text,
  text.map((rest) => `/api/${rest}`),
  fc.tuple(text, text).map(([id, rest]) => `/api/${id}/refund${rest}`),
);

/** Undefined for a path that was refused. */
function urlOf(base: string, candidate: unknown): string | undefined {
  try {
    return toRequestUrl(base, candidate);
  } catch (thrown) {
    assert.ok(thrown instanceof TypeError);
    assert.match(thrown.message, /^path must /);
    return undefined;
  }
}

it('whatever passes stays at its host, below its prefix, as it was written', () => {
  forAny(1_000, path, fc.constantFrom(...prefixes), (candidate, prefix) => {
    const url = urlOf(origin + prefix, candidate);
    if (url === undefined) return;
    const { href, host, username, pathname, search, hash } = new URL(url);
    assert.equal(href, origin + prefix + candidate);
    assert.deepEqual([host, username, hash], ['service.example', '', '']);
    const written = candidate.split('?')[0] ?? '';
    assert.equal(pathname, prefix + written);
    assert.doesNotMatch(search, /\//);
    // However often a server decodes it, the path has the segments that were written.
    assert.equal(decodeURIComponent(written), written);
    assert.equal(written.split('/').some(isDots), false);
  });
});

it('a hostile id in the middle of a path is refused, or is one segment', () => {
  forAny(1_000, text, (id) => {
    const url = urlOf(origin, `/api/v2/invoices/${id}/refund`);
    if (url === undefined || id.includes('/')) return;
    assert.deepEqual(new URL(url).pathname.split('/').slice(4), [id, 'refund']);
  });
});

it('whatever encodeURIComponent had to touch is refused, not sent half-decoded', () => {
  forAny(1_000, text, (id) => {
    fc.pre(!/\p{Surrogate}/u.test(id));
    const encoded = encodeURIComponent(id);
    const url = urlOf(origin, `/api/v2/invoices/${encoded}/refund`);
    if (url !== undefined) assert.equal(encoded, id);
  });
});

it('paths of ordinary segments pass', () => {
  const segment = fc
    .stringMatching(/^[A-Za-z0-9._~:@,=+-]{1,12}$/)
    .filter((value) => !isDots(value));
  forAny(500, fc.array(segment, { minLength: 1, maxLength: 6 }), (segments) => {
    const written = `/${segments.join('/')}`;
    assert.equal(toRequestUrl(origin, written), origin + written);
  });
});

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

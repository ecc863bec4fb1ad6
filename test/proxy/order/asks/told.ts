/**
 * Stories of one order in a template (`test/support/story-text.ts`). A step is a request that asks, behind commas what it has
 * learned, and after `=` what it hears; or it is something that happens. A request gets its name where it first comes:
 * `two: pix 1 in place of A` is one for another code than A, at the price of one cent.
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { givingUp } from '../../../../src/proxy/order/asks/put-ask.js';
import type { Ask } from '../../../../src/proxy/order/asks/put-ask.js';
import type { Asking, Said } from '../../../../src/proxy/order/asks/ask.js';
import { expired, released, undecided } from '../../../../src/proxy/order/attempts.js';
import { named, reported } from '../../../../src/proxy/order/due.js';
import { heardExpired } from '../../../../src/proxy/order/answers.js';
import { toInvoiceId } from '../../../../src/proxy/order/order.js';
import { toStories } from '../../../support/story-text.js';
import { paid, refused, returned, toInvoice } from '../samples.js';
import * as samples from './story.js';

type Request = ReturnType<typeof samples.pix> | ReturnType<typeof samples.card>;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000 };
const toMs = (number = '', unit = '') => Number(number) * units[unit]!;

const endings: Readonly<Record<string, typeof samples.unknownAs>> = {
  charged: (id) => samples.created(id ?? assert.fail()),
  refused: samples.refusedAs,
  unknown: samples.unknownAs,
};

const words: Readonly<Record<string, Parameters<ReturnType<typeof samples.story>['hears']>[1]>> = {
  'is paid': paid,
  'is refused': refused,
  'is refunded': returned('refunded'),
  differs: { meaning: 'mismatch', field: 'total_cents', word: 'paid' },
};

/** Makes a test of each story. */
export function tell(texts: TemplateStringsArray): void {
  for (const [name, play] of toStories(texts)) {
    it(name, () => {
      const step = createTeller();
      for (const [what, expected] of play)
        assert.equal(`${what} = ${step(what)}`, `${what} = ${expected}`);
    });
  }
}

function createTeller() {
  const life = samples.story();
  const { asks, shows, makes, charged, ends, hears, changes, order, nowMs } = life;
  const requests = new Map<string, Request>();
  const said = new Map<string, ReturnType<typeof samples.word>>();
  const knownTo = new Map<string, number>();
  const find = (name: string) => requests.get(name) ?? assert.fail(`no request ${name}`);
  const findCard = (name: string) => {
    const request = find(name);
    return request.kind === 'card' ? request : assert.fail(`${name} is no card`);
  };
  const ofId = (id: string) =>
    order().invoices.find(({ invoiceId }) => invoiceId === id) ?? toInvoice(id);

  const happenings: [text: RegExp, happens: (...parts: string[]) => unknown][] = [
    [/^wait (\S+) (\w+)$/, (...time) => life.wait(toMs(...time))],
    [
      /^(?:(\w+): )?shows (\w+)(?: for (\d+))?(?: in place of (\w+))?$/,
      (name = '', id = '', price = '12345', replaces) =>
        requests.set(
          name,
          shows(id, samples.pix({ totalCents: Number(price), replaces: replaces ?? null })),
        ),
    ],
    [
      /^(?:(\w+): )?(sent|charged|refused|unknown)(?: (\w+))?$/,
      (name = '', ending = '', id) => requests.set(name, charged(endings[ending]?.(id ?? null))),
    ],
    [
      /^(\w+) ends (\w+)(?: (\w+))?$/,
      (name = '', ending = '', id) => ends(findCard(name), endings[ending]!(id ?? null)),
    ],
    [
      /^(\w+) makes (\w+)$/,
      (name = '', id = '') => {
        const request = find(name);
        if (request.kind === 'pix') makes(request, id, knownTo.get(name));
      },
    ],
    [
      /^(\w+) (is paid|is refused|is refunded|differs)$/,
      (id = '', word = '') => hears(ofId(id), words[word]!),
    ],
    [/^(\w+) lapses$/, (id = '') => life.tell(heardExpired, ofId(id))],
    [/^(\w+) stays undecided$/, (id = '') => life.tell(undecided, ofId(id))],
    [/^(\w+) is released$/, (name = '') => life.tell(released, findCard(name).attempt)],
    [
      /^(\w+) expires$/,
      (name = '') =>
        changes((one) => expired(one, { nowMs: nowMs() + findCard(name).sentForMs })[0]),
    ],
    [/^(.+) gives up$/, (text = '') => changes(givingUp(toRequest(text)[1]) ?? assert.fail())],
    [/^(\w+) is named$/, (lookUpId = '') => life.tell(named, { lookUpId, forMs: 0 })],
    [/^(\w+) is told of$/, (lookUpId = '') => life.tell(reported, { lookUpId })],
    [
      /^(\w+) runs out$/,
      (id = '') =>
        changes((one) => ({
          ...one,
          invoices: one.invoices.map((each) =>
            each.invoiceId === id ? { ...each, deadlineMs: nowMs() } : each,
          ),
        })),
    ],
  ];

  const questions: Readonly<Record<string, () => readonly string[]>> = {
    attempts: () =>
      order().attempts.map(({ progress, released }) =>
        toText(progress.state, toInvoiceId(progress), released && 'released'),
      ),
    invoices: () =>
      order().invoices.map((one) =>
        toText(
          one.invoiceId,
          one.method === 'pix' && one.code === '' && 'unseen',
          one.isReleased && 'released',
          one.lookUpAtMs === null && 'over',
        ),
      ),
    events: () => order().events.map(({ kind, outcome }) => toText(kind, outcome)),
    named: () =>
      order().named.map(({ lookUpId, dueAtMs }) => toText(lookUpId, dueAtMs > nowMs() && 'later')),
    keys: () => order().keys.map(([letter]) => letter ?? ''),
  };

  /** `two: pix 1 in place of A`, `card`, `two`, `again two`: also with another price, or in place of another code. */
  function toRequest(text: string): [name: string, request: Request] {
    const form = /^(?:(\w+): )?(again )?(\w+)(?: (\d+))?(?: in place of (\w+))?$/;
    const [, newName = '', isAgain, what = '', price, replaces] =
      form.exec(text) ?? assert.fail(`no step: ${text}`);
    const total = price === undefined ? {} : { totalCents: Number(price) };
    const more = { ...total, ...(replaces !== undefined && { replaces }) };
    if (what === 'pix' || what === 'card') {
      const request = what === 'pix' ? samples.pix(more) : samples.card(total);
      requests.set(newName, request);
      return [newName, request];
    }
    const known = find(what);
    const attempt = { ...(known.attempt ?? assert.fail()), ...total };
    if (known.kind === 'pix') return [what, { ...known, ...more, attempt }];
    const request = { ...known, attempt };
    return [what, isAgain ? samples.again(request) : request];
  }

  /** A person's word may be kept and said again later, `first: not charged`, or otherwise: `first as C`. */
  function toAsk(text: string): [name: string, ask: Ask] {
    const [, wordName = '', isWord, chargedAs = null] =
      /^(?:(\w+): )?(not charged|charged as (\S+))$/.exec(text) ?? [];
    if (isWord !== undefined) {
      const ask = samples.word(order(), chargedAs);
      said.set(wordName, ask);
      return ['', ask];
    }
    const [, kept = '', invoiceId] = /^(\w+)(?: as (\S+))?$/.exec(text) ?? [];
    const ask = said.get(kept);
    if (ask) return ['', { ...ask, ...(invoiceId !== undefined && { invoiceId }) }];
    const [, name] = /^key of (\w+)$/.exec(text) ?? [];
    if (name === undefined) return toRequest(text);
    if (!requests.has(name)) requests.set(name, samples.card());
    return ['', samples.byKey(find(name))];
  }

  return function step(text: string): string | undefined {
    const [what = '', ...learned] = text.split(', ');
    const question = questions[what];
    if (question) return question().join(', ') || 'none';
    for (const [form, happens] of happenings) {
      const found = form.exec(what);
      if (!found) continue;
      happens(...found.slice(1));
      return undefined;
    }
    const [name, ask] = toAsk(what);
    const reply = asks(ask, readLearned(learned));
    if (reply.type === 'create') knownTo.set(name, reply.known);
    const { afterMs } = reply.type === 'refusal' ? reply : {};
    const isPlain = afterMs === undefined || samples.wordOf(reply) === 'in_progress';
    return isPlain ? samples.wordOf(reply) : `${samples.wordOf(reply)} after ${afterMs / 1_000} s`;
  };
}

const toText = (...all: readonly unknown[]) => all.filter(Boolean).join(' ');

const saidWords: readonly Said[] = [
  'paid',
  'refused',
  'open',
  'foreign',
  'mismatch',
  'none',
  'untold',
];

function readLearned(learned: readonly string[]): Partial<Asking> {
  const said = new Map<string, Said>();
  const how: Record<string, unknown> = { said };
  for (const one of learned) {
    const [first = '', second = '', unit] = one.split(' ');
    if (first === 'admitted' || first === 'left') how['isAdmitted'] = true;
    if (first === 'left') how['hasLeft'] = true;
    else if (first === 'gone') how['isAwaited'] = false;
    else if (first === 'made') how['madeId'] = second;
    else if (first === 'found') how['found'] = second;
    else if (first === 'waited') how['waitedMs'] = toMs(second, unit);
    else if (first !== 'admitted')
      said.set(first, saidWords.find((word) => word === second) ?? assert.fail(one));
  }
  return how;
}

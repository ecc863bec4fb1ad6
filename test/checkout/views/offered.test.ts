/** What a text offers exists: no screen and no announcement names a method or a control that is not there. */

import assert from 'node:assert/strict';
import { html, nothing } from 'lit';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { createCardForm } from '../../../src/checkout/card/card-file-entry.js';
import { untouched, toModel } from '../../../src/checkout/element/screen.js';
import { toText } from '../../../src/checkout/html/template-text.js';
import {
  chooseMessages,
  fetchMessages,
  locales,
  formatMoney,
} from '../../../src/checkout/locales/choose-messages.js';
import type { Locale } from '../../../src/checkout/locales/choose-messages.js';
import type { CheckoutEvent, ShownErrorCode, State } from '../../../src/checkout/machine/state.js';
import { findCurrentInvoice, isAt } from '../../../src/checkout/machine/state.js';
import { readOrder, silentPage } from '../../../src/checkout/page/order.js';
import { renderCheckout } from '../../../src/checkout/views/checkout.js';
import type { Actions, CardPanel } from '../../../src/checkout/views/model.js';
import { errorCodes } from '../../../src/contract/codes.js';
import type { Method } from '../../../src/contract/types.js';
import { parseInstallments } from '../../../src/domain/card/installments.js';
import {
  cardFailed,
  cardSamples,
  lookUpRefused,
  resumed,
  soughtCard,
} from '../machine/charge/cards.js';
import { checkout, createFailed, lookUpFailed, named, stored } from '../machine/samples.js';
import type { Play } from '../machine/samples.js';
import { replaced, samples } from '../machine/states.js';

await Promise.all(locales.map((locale) => fetchMessages(locale)));

/** Words of a method, in all languages at once. A Pix code is also its QR, a card also its code and its instalments. */
const ofPix = /pix|\bqr\b/i;
const ofCard = /cart[ãa]o|\bcards?\b|tarjeta|\bcvv\b|parcela|instal?ment|cuota/i;

/** What a text asks to use, and what it is then that has to be there. */
const asked: readonly [what: RegExp, isThere: (page: string) => boolean][] = [
  [/\bcvv\b/i, (page) => page.includes('id="card_code"')],
  [/outro cartão|another card|otra tarjeta/i, (page) => /"card_code"|name="card"/.test(page)],
  [/preencheu|your details|completó/i, (page) => /<input|name="card"/.test(page)],
  [/tente de novo|try again|inténtelo de nuevo/i, (page) => /<button/.test(page)],
  [/gere outro|generate another|genere otro/i, (page) => /class="secondary"/.test(page)],
];

/** How the card's part of the page may stand. */
const panels = ['loading', 'missing', 'ours', 'slotted'] as const;

interface Page {
  readonly methods: readonly Method[];
  readonly method: Method;
  readonly panel: (typeof panels)[number] | null;
  readonly locale: Locale;
}

const bothOrders: readonly (readonly Method[])[] = [
  ['pix'],
  ['credit_card'],
  ['pix', 'credit_card'],
  ['credit_card', 'pix'],
];
const pages: readonly Page[] = bothOrders.flatMap((methods) =>
  methods.flatMap((method) =>
    (method === 'pix' ? [null] : panels).flatMap((panel) =>
      locales.map((locale) => ({ methods, method, panel, locale })),
    ),
  ),
);

/** A state, and what the payer was paying by when it came about; null: the page has just been loaded, and resumes what is stored. */
type Reached = readonly [state: State, by: Method | null];

/** Every state of the machine after every answer that ends an attempt, once by what the payer reads of it. */
function reach(plays: readonly (() => Play)[], by: Method | null): readonly Reached[] {
  const codes = [...Object.keys(errorCodes), 'network', 'invalid_answer'] as ShownErrorCode[];
  const events: (CheckoutEvent | null)[] = [null, cardFailed, lookUpRefused];
  for (const code of codes) {
    events.push(createFailed(code), lookUpFailed(code));
    events.push(createFailed(code, { retryable: true, retryAfterSeconds: 120 }));
  }
  const found = new Map<string, Reached>();
  for (const play of plays) {
    for (const event of events) {
      const { state } = event ? play().play(event) : play();
      const error = 'error' in state ? state.error : null;
      const task = 'task' in state ? state.task : null;
      const { method } = findCurrentInvoice(state) ?? {};
      found.set(JSON.stringify([state.phase, task, error, method]), [state, by]);
    }
  }
  return [...found.values()];
}

const reached: readonly Reached[] = [
  ...reach([...Object.values(samples), replaced], 'pix'),
  ...reach(Object.values(cardSamples), 'credit_card'),
  ...reach(
    [
      () => checkout(),
      () => checkout().play(named),
      () => checkout().play({ ...soughtCard, attemptKey: null }),
      () => checkout().play(stored),
      () => checkout().play(soughtCard),
      () => checkout().play(resumed),
    ],
    null,
  ),
];

/** Whether the payer can stand there, on such a page. */
function mayStand([state, by]: Reached, { method, panel }: Page): boolean {
  // Another method takes the error away, and its own code from the screen. A charge needs the form that it was typed into.
  const isOpen = state.phase === 'awaiting' || state.phase === 'expired';
  if (isOpen || isAt(state, 'posting')) return method === 'pix';
  const isTyped = by === 'pix' || (by === 'credit_card' && /ours|slotted/.test(panel ?? ''));
  return by === null || (by === method && isTyped);
}

const actions = new Proxy({} as Actions, { get: () => () => undefined });

function show(state: State, { methods, method, panel, locale }: Page) {
  const order = readOrder(
    {
      ...silentPage,
      endpoint: '/pix',
      externalId: '1042',
      totalPriceCents: 14_670,
      pixTotalPriceCents: 13_990,
      methods: methods.join(' '),
      method,
      acceptRawCard: true,
    },
    'https://shop.example/',
    assert.fail,
  );
  const isWaiting = { copy: 'none', justCopied: false, presses: 0, check: 'none' } as const;
  const model = toModel({
    ...untouched,
    attention: { ...untouched.attention, ...isWaiting, trouble: 'none' },
    state,
    order,
    fields: order.asked.map((one) => ({ ...one, value: '', fault: null })),
    installments: parseInstallments(null, order.totalCents),
    card: panel && toPanel(panel, locale),
    pressed: true,
    formerError: panel === null ? null : { code: 'payment_refused', retryable: true },
    locale,
    texts: chooseMessages(locale),
    wallClock: new Date(0),
  });
  const page = toText(renderCheckout(model, actions));
  const read = page
    .replaceAll(/<[^>]*aria-label="([^"]*)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  return { page, read };
}

function toPanel(panel: Page['panel'], locale: Locale): CardPanel {
  const slotted = panel === 'slotted';
  const form = createCardForm({
    html,
    nothing,
    formatMoney,
    requestUpdate: () => undefined,
    wallClock: () => new Date(0),
    warn: assert.fail,
    setTimer: assert.fail,
    clearTimer: () => undefined,
  });
  const words = { locale, slotted, installments: [], atOnceCents: null, acceptedBrands: null };
  const content = panel === 'ours' || slotted ? form.render(words) : null;
  return { content, failed: panel === 'missing', slotted };
}

/** What the page is about beside what it offers: a code that was made, a payment that was sent. */
function isOf(method: Method, state: State): boolean {
  const isCardSent =
    state.phase === 'confirming' &&
    state.attempt !== null &&
    state.attempt.standing !== 'contended_pix';
  return findCurrentInvoice(state)?.method === method || (method === 'credit_card' && isCardSent);
}

describe('what a text offers exists', () => {
  // The receipt asks whether the browser can share.
  beforeAll(() => void vi.stubGlobal('navigator', {}));
  afterAll(() => void vi.unstubAllGlobals());

  for (const page of pages) {
    const { methods, method, panel, locale } = page;
    it(`where ${methods.join(' and ')} can be paid by, ${panel ?? ''} ${method} shown, in ${locale}`, () => {
      let shown = 0;
      for (const [state] of reached.filter((one) => mayStand(one, page))) {
        shown++;
        const { page: written, read } = show(state, page);
        const where = `${JSON.stringify(state).slice(0, 200)}: ${read}`;
        if (!methods.includes('pix') && !isOf('pix', state))
          assert.doesNotMatch(read, ofPix, where);
        if (!methods.includes('credit_card') && !isOf('credit_card', state))
          assert.doesNotMatch(read, ofCard, where);
        for (const [what, isThere] of asked) {
          if (what.test(read)) assert.ok(isThere(written), `${what} ${where}`);
        }
      }
      assert.ok(shown > 10, `${shown} states`);
    });
  }
});

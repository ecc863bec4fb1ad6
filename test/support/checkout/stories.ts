/**
 * A checkout that a payer and a page use step by step, and what is seen then:
 *
 *     const page = await pageOf(awaiting());
 *     await page.presses('Já paguei');
 *     page.shows({ phase: 'awaiting', lookUps: 2 });
 *
 * All that is done and asked goes through pix-checkout-harness.ts.
 */
import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import type { CreateRequest, CreatedInvoice } from '../../../src/contract/types.js';
import type { PayerField } from '../../../src/domain/payer.js';
import type { World } from './checkout-world.js';
import type { FakeProxy, Reply, Route } from './fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openReady,
  openSubmitted,
} from './pix-checkout-harness.js';
import type { OpenOptions, Words } from './pix-checkout-harness.js';

export type Checkout = Awaited<ReturnType<typeof openCheckout>>;

/** What is seen, heard, stored and sent at a moment. What is left out is not looked at. */
export interface Sight {
  readonly phase?: string;
  readonly method?: string | null;
  /** Whose code is on the screen, as the proxy counts its invoices; `null`: no code is. */
  readonly code?: number | string | null;
  readonly buttons?: readonly string[];
  /** Parts of what is on the screen, and what no part of it matches. */
  readonly shows?: string | readonly string[];
  readonly hides?: string | RegExp | readonly string[];
  /** All that the live region holds, or parts of it. */
  readonly announced?: string;
  readonly announces?: string | readonly string[];
  readonly focus?: string;
  readonly values?: Partial<Record<PayerField, string>>;
  readonly faults?: Partial<Record<PayerField, string>>;
  /** Properties of the element. */
  readonly element?: { readonly [Name in keyof PixCheckout]?: unknown };
  /** Single fields of the last request for an invoice. */
  readonly sent?: { readonly [Name in keyof CreateRequest]?: unknown };
  /** Whether anything matches a selector. */
  readonly has?: Readonly<Record<string, boolean>>;
  readonly requests?: number;
  readonly creations?: number;
  readonly recoveries?: number;
  readonly lookUps?: number;
  /** Requests in flight. */
  readonly open?: number;
  readonly records?: number;
  readonly reloads?: number;
  readonly warnings?: readonly string[];
  /** The names of all events, names that are among them, and names that are not. */
  readonly told?: readonly string[];
  readonly tells?: string | readonly string[];
  readonly untold?: string | readonly string[];
  /** The details of the last `pix-status`. */
  readonly status?: object;
  /** Details of every `pix-error`, and their codes alone. */
  readonly errors?: readonly object[];
  readonly codes?: readonly string[];
  /** How often `pix-paid` was told. */
  readonly paid?: number;
}

/** What is done, or several such; a {@link Sight} is so then. */
export type Step = number | keyof typeof acts | Sight | Act | readonly Step[];
type Act = (checkout: Checkout) => unknown;
export type Start = () => Promise<Checkout>;

/** A checkout that a payer and a page use, step by step. */
export async function pageOf(start: Start) {
  const checkout = await start();
  return {
    checkout,
    presses: (label: string) => play(checkout, presses(label)),
    /** So many milliseconds pass. */
    waits: (ms: number) => play(checkout, ms),
    does: (step: Step) => play(checkout, step),
    shows: (sight: Sight) => look(checkout, sight, 'then'),
  };
}

/** Does the steps with a checkout that is there. */
export async function play(checkout: Checkout, ...steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (typeof step === 'string') await acts[step](checkout);
    else if (typeof step === 'number') await checkout.advance(step);
    else if (typeof step === 'function') await step(checkout);
    else if (Array.isArray(step)) await play(checkout, ...(step as readonly Step[]));
    else look(checkout, step as Sight, 'then');
    await checkout.settle();
  }
}

const opener =
  (open: typeof openCheckout) =>
  (words?: Words): Start =>
  () =>
    open(words);
export const form = opener(openCheckout);
export const ready = opener(openReady);
export const submitted = opener(openSubmitted);
export const awaiting = opener(openAwaiting);

/** Words of a page whose proxy was told something before. */
export const proxied =
  (tell: (proxy: FakeProxy) => unknown, options: OpenOptions = {}): Words =>
  ({ proxy }) => {
    tell(proxy);
    return options;
  };
/** Words of a page whose proxy answers so, once each. */
export const replied = (route: Route, ...replies: Reply[]): Words =>
  proxied((proxy) => proxy.reply(route, ...replies));
/** Words of a page whose proxy takes its time. */
export const slow = (delayMs: number, options?: OpenOptions): Words =>
  proxied((proxy) => (proxy.delayMs = delayMs), options);
/** Words of a page whose order has an invoice already. */
export const withInvoice =
  (
    say: (invoice: CreatedInvoice, world: World) => OpenOptions | void,
  ): ((world: World) => OpenOptions) =>
  (world) => {
    const externalId = newOrder();
    const { attributes, ...rest } = say(world.proxy.makeInvoice(externalId), world) ?? {};
    return { attributes: { 'external-id': externalId, ...attributes }, ...rest };
  };
/** The attributes that name an invoice by its id. */
export const named = ({ invoice_id, lookup_token = '' }: CreatedInvoice) => ({
  'invoice-id': invoice_id,
  'lookup-token': lookup_token,
});

/** What is said as one word. */
const acts = {
  submit: (checkout) => checkout.submit(),
  enter: (checkout) => checkout.pressEnter(),
  copy: (checkout) => checkout.copyCode(),
  leave: ({ element }) => element.remove(),
  append: ({ element }) => document.body.append(element),
  reset: ({ element }) => element.reset(),
  start: ({ element }) => element.start(),
  /** The order is paid; no one has looked yet. */
  pay: ({ proxy }) => proxy.setStatus('paid'),
  /** The form is filled in, with nothing wrong. */
  fill: async ({ type }) => {
    for (const [name, text] of Object.entries(payer)) await type(name as PayerField, text);
  },
} satisfies Record<string, Act>;

export const set =
  (...[changes]: Parameters<Checkout['set']>): Act =>
  (checkout) =>
    checkout.set(changes);
export const presses =
  (label: string): Act =>
  ({ press }) =>
    press(label);
export const choose =
  (label: 'Pix' | 'Cartão'): Act =>
  (checkout) =>
    checkout.chooseMethod(label);
export const type =
  (field: PayerField, text: string): Act =>
  (checkout) =>
    checkout.type(field, text);
export const replies =
  (route: Route, ...next: Reply[]): Act =>
  ({ proxy }) =>
    proxy.reply(route, ...next);
export const repliesAlways =
  (route: Route, reply: Reply | null): Act =>
  ({ proxy }) =>
    proxy.replyAlways(route, reply);

/** A payer with nothing wrong. */
export const payer = { name: 'Ana Souza', cpf_cnpj: '28001238938', email: 'ana@example.com' };
const each = <T>(names: object | undefined, ask: (name: string) => T): Record<string, T> =>
  Object.fromEntries(Object.keys(names ?? {}).map((name) => [name, ask(name)]));

/** What is compared as a whole. */
const questions = {
  phase: ({ element }) => element.phase,
  method: ({ element }) => element.method,
  code: ({ proxy, codeText }) => {
    const text = codeText();
    const at = proxy.invoices.findIndex(({ qr_code_pix }) => qr_code_pix === text);
    return at < 0 ? text : at;
  },
  buttons: (checkout) => checkout.buttons(),
  announced: (checkout) => checkout.announcedText(),
  focus: (checkout) => checkout.focused(),
  values: ({ field }, { values }) => each(values, (name) => field(name as PayerField).value),
  faults: ({ faultOf }, { faults }) => each(faults, (name) => faultOf(name as PayerField)),
  element: (checkout, { element }) =>
    each(element, (name) => checkout.element[name as keyof PixCheckout]),
  sent: ({ proxy }, { sent }) =>
    each(sent, (name) => proxy.of('create').at(-1)?.body?.[name as keyof CreateRequest]),
  has: (checkout, { has }) => each(has, checkout.has),
  requests: ({ proxy }) => proxy.requests.length,
  creations: ({ proxy }) => proxy.of('create').length,
  recoveries: ({ proxy }) => proxy.of('recover').length,
  lookUps: ({ proxy }) => proxy.of('look-up').length,
  open: ({ proxy }) => proxy.open.length,
  records: ({ stored }) => stored.size,
  reloads: ({ world }) => world.reloads,
  warnings: (checkout) => checkout.warnings,
  told: (checkout) => checkout.eventNames(),
  status: ({ details }) => details('pix-status').at(-1),
  errors: ({ details }) => details('pix-error'),
  codes: ({ details }) => details('pix-error').map((one) => (one as { code: string }).code),
  paid: ({ details }) => details('pix-paid').length,
} satisfies { [Name in keyof Sight]: (checkout: Checkout, sight: Sight) => unknown };

function look(checkout: Checkout, sight: Sight, at: string): void {
  const { shows = [], hides = [], announces = [], tells = [], untold = [], ...whole } = sight;
  const found = Object.keys(whole).map((name) => {
    return [name, questions[name as keyof typeof questions](checkout, sight)];
  });
  expect(Object.fromEntries(found), at).to.deep.equal(whole);
  for (const text of [shows].flat()) expect(checkout.visibleText(), at).to.include(text);
  for (const text of [announces].flat()) expect(checkout.announcedText(), at).to.include(text);
  for (const name of [tells].flat()) expect(checkout.eventNames(), at).to.include(name);
  for (const name of [untold].flat()) expect(checkout.eventNames(), at).not.to.include(name);
  for (const text of [hides].flat()) {
    if (typeof text === 'string') expect(checkout.visibleText(), at).not.to.include(text);
    else expect(checkout.visibleText(), at).not.to.match(text);
  }
}

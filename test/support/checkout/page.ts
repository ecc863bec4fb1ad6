/**
 * `<pix-checkout>` as a payer and a page use it, step by step, and what can be seen, heard and told then:
 *
 *     const page = await pageOf(awaiting());
 *     await page.presses('Já paguei');
 *     page.shows({ phase: 'awaiting', lookUps: 2 });
 *
 * Owns the element under test, its world and the record of its events. After each test it puts everything away and fails
 * if timers or requests are left. Goes through roles, parts and public names, never through private fields.
 */

import { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import type { Environment } from '../../../src/checkout/browser/environment.js';
import type { PayerField } from '../../../src/domain/payer.js';
import { restoreBrowser, stub } from './browser-stubs.js';
import { createWorld } from './checkout-world.js';
import type { World } from './checkout-world.js';
import { settlePromises } from '../clock.js';
import { expect, waitUntil } from '@open-wc/testing';
import type { CreateRequest, CreatedInvoice } from '../../../src/contract/types.js';
import type { FakeProxy, Reply, Route } from './fake-proxy.js';

/** The world that the next element belongs to. */
let nextWorld: World | null = null;

/** The element under test: nothing but its environment is not its own. */
export class TestCheckout extends PixCheckout {
  readonly world = nextWorld ?? createWorld(settle);

  override get environment(): Environment {
    return this.world.environment;
  }
}

customElements.define('test-checkout', TestCheckout);

/** What the element dispatched, as a page hears it. */
export type Heard = readonly [name: string, detail: unknown];

const eventNames = [
  'pix-ready',
  'pix-submit',
  'pix-created',
  'pix-status',
  'pix-copy',
  'pix-paid',
  'pix-expired',
  'pix-error',
] as const;

/** A page may hand in anything, whatever the types say. */
type PageProperties = { readonly [Name in keyof PixCheckout]?: unknown };

export interface OpenOptions {
  /** `null` leaves a usual attribute out. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly properties?: PageProperties;
  /** Light children: fallback and slots. */
  readonly children?: string;
  /** Keeps the element out of the page. */
  readonly detached?: boolean;
}

/** Page-wide: barred storage is stood in for by memory, which one test must not inherit from another. */
let lastOrder = 0;

/** A reference that no other test of this page uses. */
export const newOrder = () => `order-${++lastOrder}`;

const opened: TestCheckout[] = [];

/** What a page says, perhaps of what is in the world already: an invoice, a stored attempt. */
export type Words = OpenOptions | ((world: World) => OpenOptions | void);

/**
 * Puts an element into the page, for an order of its own, R$ 129,90 by default.
 * @param world an existing one, for a second element of the same page or a reload
 */
export async function openCheckout(words: Words = {}, world = createWorld(settle)) {
  stub(document, 'hidden', { value: false });
  const options = (typeof words === 'function' ? words(world) : words) ?? {};
  const element = makeElement(world, options);
  const heard = listen(element);
  if (!options.detached) document.body.append(element);
  await settle();
  return { element, world, ...world, heard, ...questions(element, heard), ...verbs(element) };
}

/** A checkout that asks the payer for nothing: its button stands alone. */
export function openReady(words: Words = {}, world?: World) {
  return openCheckout((used) => {
    const options = (typeof words === 'function' ? words(used) : words) ?? {};
    return { ...options, attributes: { 'payer-fields': '', ...options.attributes } };
  }, world);
}

/** The same, its button pressed. */
export async function openSubmitted(words: Words = {}, world?: World) {
  const checkout = await openReady(words, world);
  await checkout.submit();
  return checkout;
}

/** A checkout whose Pix code is on the screen. */
export async function openAwaiting(words: Words = {}, world?: World) {
  const checkout = await openSubmitted(words, world);
  if (checkout.element.phase !== 'awaiting') throw new Error(`It is ${checkout.element.phase}`);
  return checkout;
}

function makeElement(world: World, { attributes = {}, properties, children }: OpenOptions) {
  nextWorld = world;
  const element = document.createElement('test-checkout') as TestCheckout;
  nextWorld = null;
  const usual = { endpoint: '/pix', 'order-token': 'signed', 'total-price-cents': '12990' };
  const order = { 'external-id': attributes['external-id'] === undefined ? newOrder() : null };
  for (const [name, value] of Object.entries({ ...usual, ...order, ...attributes })) {
    if (value !== null) element.setAttribute(name, value);
  }
  Object.assign(element, properties);
  if (children) element.innerHTML = children;
  opened.push(element);
  return element;
}

/** Hears on the document, so that only what bubbles out of everything is heard. */
function listen(element: TestCheckout): Heard[] {
  const heard: Heard[] = [];
  for (const name of eventNames) {
    const hear = (event: Event) => {
      if (event.target === element) heard.push([name, (event as CustomEvent<unknown>).detail]);
    };
    document.addEventListener(name, hear);
    unlisten.push(() => document.removeEventListener(name, hear));
  }
  return heard;
}

const unlisten: (() => void)[] = [];

function questions(element: TestCheckout, heard: readonly Heard[]) {
  const root = () => element.renderRoot as ShadowRoot;
  const find = (selector: string) => root().querySelector<HTMLElement>(selector);
  const get = (selector: string): HTMLElement => {
    const found = find(selector);
    if (!found) throw new Error(`Nothing matches ${selector}`);
    return found;
  };
  return {
    find,
    get,
    /** Elements are asked for like this: a failed comparison of nodes would print all of the page. */
    has: (selector: string) => find(selector) !== null,
    part: (name: string) => find(`[part~="${name}"]`),
    field: (name: PayerField) => get(`[name="${name}"]`) as HTMLInputElement,
    faultOf: (name: PayerField) => plain(find(`#${name}-fault`)?.innerText),
    buttons: () => [...root().querySelectorAll('button')].map(({ innerText }) => plain(innerText)),
    codeText: () => root().querySelector<HTMLTextAreaElement>('[part~="code"]')?.value ?? null,
    /** What the live region holds. */
    announcedText: () => plain(get('[role="status"]').textContent),
    /** What is on the screen, without the live region. */
    visibleText: () =>
      plain(
        [...get('section').children]
          .filter((child) => !child.matches('[role="status"], slot'))
          .map((child) => (child as HTMLElement).innerText)
          .join(' '),
      ),
    /** What has the focus inside the element, by its id, part or text; empty for nothing. */
    focused: () => {
      const focused = root().activeElement as HTMLElement | null;
      return focused?.id || focused?.getAttribute('part') || plain(focused?.innerText);
    },
    /** Names and details in order. */
    events: () => heard,
    eventNames: () => heard.map(([name]) => name),
    details: (name: string) => heard.filter(([one]) => one === name).map(([, detail]) => detail),
    record: () => [...element.world.stored.values()].map((text) => JSON.parse(text) as unknown),
  };
}

function verbs(element: TestCheckout) {
  const { field, get, part } = questions(element, []);
  const then = async (act: () => unknown) => {
    act();
    await settle();
  };
  const press = (label: string) =>
    then(() => {
      const all = [...element.renderRoot.querySelectorAll('button')];
      const button = all.find(({ innerText }) => plain(innerText) === label);
      if (!button) throw new Error(`There is no button ${label}`);
      button.click();
    });
  const copy = () => part('copy-button')?.click();
  const submit = () => part('submit-button')?.click();
  return {
    settle,
    press,
    advance: (ms: number) => element.world.clock.advance(ms),
    submit: () => then(submit),
    doubleClick: () => then(() => [submit(), submit()]),
    pressEnter: () => then(() => (get('form') as HTMLFormElement).requestSubmit()),
    copyCode: () => then(copy),
    pressAlreadyPaid: () => press('Já paguei'),
    /** Types at the caret, key by key. */
    type: (name: PayerField, text: string) =>
      then(() => {
        for (const key of text) insert(field(name), key, 'insertText');
      }),
    /** Pastes at the caret, in place of what is selected. */
    paste: (name: PayerField, text: string) =>
      then(() => insert(field(name), text, 'insertFromPaste')),
    /** Deletes the character before the caret. */
    backspace: (name: PayerField, at: number) =>
      then(() => {
        field(name).setSelectionRange(at - 1, at);
        insert(field(name), '', 'deleteContentBackward');
      }),
    /** As a browser fills a form in: a value and two events, no keys, no focus. */
    autofill: (name: PayerField, value: string) =>
      then(() => {
        field(name).value = value;
        field(name).dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        field(name).dispatchEvent(new Event('change', { bubbles: true }));
      }),
    leave: (name: PayerField) => then(() => field(name).dispatchEvent(new FocusEvent('blur'))),
    /** Presses the radio button of a method. */
    chooseMethod: (label: 'Pix' | 'Cartão') =>
      then(() => {
        const all = [...element.renderRoot.querySelectorAll<HTMLElement>('.methods label')];
        const found = all.find(({ textContent }) => plain(textContent).startsWith(label));
        // A choice that was made is one line, with a button for the other method.
        const made = element.renderRoot.querySelector<HTMLElement>('div.line button');
        // After the deadline a button of its own leads to the card.
        const offered = [...element.renderRoot.querySelectorAll('button')].find(({ textContent }) =>
          plain(textContent).startsWith(`Pagar com ${label.toLowerCase()}`),
        );
        const control = found ?? made ?? offered;
        if (!control) throw new Error(`There is no method ${label}`);
        control.click();
      }),
    choose: (name: PayerField, value: string) =>
      then(() => {
        field(name).value = value;
        field(name).dispatchEvent(new Event('change', { bubbles: true }));
      }),
    set: (changes: PageProperties) => then(() => Object.assign(element, changes)),
    connect: () => then(() => document.body.append(element)),
    disconnect: () => then(() => element.remove()),
  };
}

/** Puts text where the caret is, and tells so as browsers do. */
export function insert(input: HTMLInputElement, data: string, inputType: string): void {
  input.setRangeText(data, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end');
  const init = { data, inputType, bubbles: true, composed: true };
  input.dispatchEvent(new InputEvent('input', init));
}

/** A promise that the test settles. */
export function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((settled) => (resolve = settled));
  return { promise, resolve };
}

/** Waits for a file that the browser has yet to fetch: longer than a busy machine needs. */
export function untilFetched(look: () => unknown, what: string): Promise<void> {
  return waitUntil(look, what, { timeout: 30_000 });
}

/** Waits until every promise and every rendering is through. No time passes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await settlePromises();
    // One that was never in the page never renders.
    const rendering = opened.filter(({ isConnected, hasUpdated }) => isConnected || hasUpdated);
    await Promise.all(rendering.map(({ updateComplete }) => updateComplete));
  }
}

/** Amounts hold no-break spaces, and lines break where there is room. */
export function plain(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

afterEach(async () => {
  const worlds = new Set(opened.map(({ world }) => world));
  for (const element of opened) element.remove();
  await settle();
  opened.length = 0;
  for (const forget of unlisten.splice(0)) forget();
  restoreBrowser();
  for (const { timers, proxy } of worlds) {
    if (timers.size > 0) throw new Error(`${timers.size} timers were left behind`);
    if (proxy.open.length > 0) throw new Error(`${proxy.open.length} requests were left behind`);
  }
});

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
const sights = {
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
    return [name, sights[name as keyof typeof sights](checkout, sight)];
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

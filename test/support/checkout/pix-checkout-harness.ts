/**
 * `<pix-checkout>` as a payer and a page use it: verbs, and questions about what can be seen, heard and told.
 *
 * Owns the element under test, its world and the record of its events; after each test it puts everything away and
 * proves that nothing was left behind. Goes through roles, parts and public names, never through private fields.
 */

import { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import type { Environment } from '../../../src/checkout/browser/environment.js';
import type { PayerField } from '../../../src/domain/payer.js';
import { restoreBrowser, stub } from './browser-stubs.js';
import { createWorld } from './checkout-world.js';
import type { World } from './checkout-world.js';
import { settlePromises } from '../../world/clock.js';

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
        if (!found) throw new Error(`There is no method ${label}`);
        found.click();
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

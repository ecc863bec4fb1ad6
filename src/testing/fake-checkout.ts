/**
 * Puts a {@link createFakeProxy} between a page and its merchant's proxy: in Playwright, Puppeteer, Cypress, or in the page
 * itself. The types name only the parts that are used, so that none of these tools has to be installed.
 */

import { createFakeProxy, type FakeCheckout, type FakeProxyOptions } from './fake-proxy.js';

/** Where the fake listens, and what an order costs. */
export interface FakeCheckoutOptions extends FakeProxyOptions {
  /** The element's `endpoint` as a whole URL. Default: every address that ends like a route of the contract. */
  readonly endpoint?: string;
}

/** A Playwright page, or a context whose pages share the fake. */
export interface PlaywrightPage {
  route(
    matches: (url: URL) => boolean,
    handle: (route: PlaywrightRoute) => unknown,
  ): Promise<unknown>;
}

interface PlaywrightRoute {
  request(): Intercepted;
  fulfill(response: Fulfilment): Promise<void>;
  abort(): Promise<void>;
}

/** A Puppeteer page. Its requests are intercepted from now on. */
export interface PuppeteerPage {
  setRequestInterception(value: boolean): Promise<void>;
  on(event: 'request', handle: (request: PuppeteerRequest) => unknown): unknown;
}

interface PuppeteerRequest extends Intercepted {
  isInterceptResolutionHandled(): boolean;
  respond(response: Fulfilment): Promise<void>;
  continue(): Promise<void>;
  abort(): Promise<void>;
}

/** A request as Playwright and Puppeteer both show it. */
interface Intercepted {
  method(): string;
  url(): string;
  headers(): Record<string, string>;
  postData(): string | null | undefined;
}

interface Fulfilment {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A window whose `fetch` is replaced. */
export type FakedWindow = Pick<
  Window & typeof globalThis,
  'fetch' | 'location' | 'Response' | 'Request' | 'TypeError'
>;

/** Cypress's `cy` and `Cypress`. */
export interface CypressGlobals {
  readonly cy: { on(event: 'window:before:load', handle: (window: FakedWindow) => void): unknown };
  readonly Cypress: {
    readonly Commands: {
      add(name: 'fakeCheckout', command: (options?: FakeCheckoutOptions) => FakeCheckout): void;
    };
  };
}

type Fake = ReturnType<typeof createFakeProxy> & { matches(url: URL): boolean };

/**
 * Answers the checkout of a page without any server. Call it before the page opens.
 * @param target a Playwright page or context, a Puppeteer page, or the window of a browser test
 */
export async function fakeCheckout(
  target: PlaywrightPage | PuppeteerPage | FakedWindow,
  options: FakeCheckoutOptions = {},
): Promise<FakeCheckout> {
  const fake = createFake(options);
  if ('route' in target) await fakeInPlaywright(target, fake);
  else if ('setRequestInterception' in target) await fakeInPuppeteer(target, fake);
  else fakeInWindow(target, fake);
  return fake.checkout;
}

/**
 * Adds `cy.fakeCheckout(options?)`, which yields a {@link FakeCheckout}. Call it in the support file; the command comes
 * before `cy.visit`.
 */
export function addCypressCommand({ Cypress, cy }: CypressGlobals): void {
  Cypress.Commands.add('fakeCheckout', (options = {}) => {
    const fake = createFake(options);
    cy.on('window:before:load', (window) => fakeInWindow(window, fake));
    return fake.checkout;
  });
}

function createFake({ endpoint, ...options }: FakeCheckoutOptions): Fake {
  const prefix = endpoint === undefined ? null : `${endpoint.replace(/\/+$/, '')}/invoices`;
  return {
    ...createFakeProxy(options),
    matches({ origin, pathname }) {
      const found = /^.*\/invoices(?=\/[\w-]{8,64}$|$)/.exec(pathname);
      return found !== null && (prefix === null || origin + found[0] === prefix);
    },
  };
}

function fakeInPlaywright(page: PlaywrightPage, fake: Fake): Promise<unknown> {
  return page.route(
    (url) => fake.matches(url),
    (route) => answerIn(route, route.request(), fake),
  );
}

async function fakeInPuppeteer(page: PuppeteerPage, fake: Fake): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    if (request.isInterceptResolutionHandled()) return;
    if (!fake.matches(new URL(request.url()))) return request.continue();
    const fulfill = (response: Fulfilment) => request.respond(response);
    await answerIn({ fulfill, abort: () => request.abort() }, request, fake);
  });
}

async function answerIn(
  route: Pick<PlaywrightRoute, 'fulfill' | 'abort'>,
  request: Intercepted,
  fake: Fake,
): Promise<void> {
  const headers = request.headers();
  const isPreflight = request.method() === 'OPTIONS';
  const answer = isPreflight
    ? { status: 204, body: '' }
    : await fake.answer({
        method: request.method(),
        url: request.url(),
        headers,
        body: request.postData() ?? '',
      });
  const allowed = {
    'content-type': 'application/json',
    'access-control-allow-origin': headers['origin'] ?? '*',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
  };
  // The page may have left meanwhile.
  await (answer ? route.fulfill({ ...answer, headers: allowed }) : route.abort()).catch(
    () => undefined,
  );
}

function fakeInWindow(window: FakedWindow, fake: Fake): void {
  if (typeof window.fetch !== 'function') {
    throw new TypeError('This window has no fetch, as in the jsdom of Jest: pay in a browser');
  }
  const usual = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const { url } = input instanceof window.Request ? input : new window.Request(input);
    if (!fake.matches(new URL(url))) return usual(input, init);
    // The request is made only now, because making it takes the body of a request that is handed in.
    const request = new window.Request(input, init);
    const { method, signal } = request;
    const headers = Object.fromEntries(request.headers.entries());
    const body = await request.text();
    const answer = await Promise.race([
      fake.answer({ method, url, headers, body }),
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    ]);
    if (!answer) throw new window.TypeError('Failed to fetch');
    return new window.Response(answer.body, { status: answer.status });
  };
}

/**
 * What a payer does who pays by card, and the pages of merchants who take cards.
 *
 * Owns the page's script (table, tokenizer) and how a card is typed; what a test card does is the sandbox's to say.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'vitest';
import type { BrowserContext, Page } from 'puppeteer-core';
import type { PixCheckout } from '../../../src/element.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { testCards } from '../../../src/sandbox/test-cards.js';
import { openContext } from './contexts.js';
import { openPage, untilDrawn } from './payer.js';
import { openShop, totalCents, type OrderPage, type PageOptions, type Shop } from './shop.js';

/** How many times faster than the world's the clocks of page and proxy run. */
const usualSpeed = 10;

/** The year in which the test cards end: by the clock, so that they never do. */
export const expiryYear = String(new Date().getFullYear() + 3);

/** The values that a payer types beside the number. */
export const holder = {
  card_name: 'MARIA DA SILVA',
  card_expiry: `12/${expiryYear.slice(-2)}`,
  card_code: '737',
} as const;

/** The words on the button of an order of the shop's usual price. */
export const payButton = 'Pagar R$ 129,90';

/** What the page's own script does with its element, before the checkout's script is there. Runs inside the page. */
export type SetUp = (checkout: PixCheckout) => void;

/** How a page that takes cards differs. */
interface CardPageOptions extends PageOptions {
  /** Default: a tokenizer that knows the test cards. */
  readonly setUp?: SetUp;
}

/** A page whose payer needs to type nothing but a card: methods Pix and card, the card first. */
async function addCardPage(shop: Shop, options: CardPageOptions = {}): Promise<OrderPage> {
  const { setUp, rest = '', attributes, ...others } = options;
  const script = `/scripts/${crypto.randomUUID()}.js`;
  const tokens = Object.fromEntries(testCards.map(({ number, token }) => [number, token]));
  const calls = setUp ? `(${String(setUp)})(` : `(${String(tokenize)})(${JSON.stringify(tokens)}, `;
  const body = `${calls}document.querySelector('pix-checkout'))`;
  shop.server.scripts.set(script, body);
  return shop.addPage({
    ...others,
    attributes: { methods: 'credit_card pix', 'payer-fields': '', ...attributes },
    // Without `type="module"` it runs at once, and not after what waits for the whole page.
    rest: `<script src="${script}"></script>${rest}`,
  });
}

/** Runs inside the page. */
function tokenize(tokens: Readonly<Record<string, string>>, checkout: PixCheckout): void {
  checkout.tokenizeCard = async (card) => ({ token: tokens[card?.number ?? ''] ?? 'tok_other' });
}

/** A page with a table of instalments. Runs inside the page. */
export const inParts: SetUp = (checkout) => {
  checkout.tokenizeCard = async () => ({ token: 'tok_approve' });
  checkout.installments = [
    { installment: 1, total_cents: 12_990 },
    { installment: 3, total_cents: 12_990, interest_free: true },
  ];
};

/** Number of the test card that plays a scenario. */
export function numberOf(scenario: string): string {
  const known = testCards.find((card) => card.scenario === scenario);
  if (!known) throw new Error(`No test card plays ${scenario}`);
  return known.number;
}

/** Fills a card into the form, each field at once, over what stands there. */
export async function fillCard(
  page: Page,
  scenario: string,
  others: Partial<Record<keyof typeof holder, string>> = {},
): Promise<void> {
  const card = { card_number: numberOf(scenario), ...holder, ...others };
  for (const [field, value] of Object.entries(card)) {
    const input = await untilDrawn(page, `#${field}`);
    await input?.focus();
    await input?.evaluate((control) => (control as HTMLInputElement).select());
    // A handle would keep what it holds in memory.
    await input?.dispose();
    await page.keyboard.sendCharacter(value);
  }
}

/** Fills the form in and presses the button. */
export async function payByCard(page: Page, scenario: string): Promise<void> {
  await fillCard(page, scenario);
  await pressPay(page);
}

/** Presses the form's own button. */
export async function pressPay(page: Page): Promise<void> {
  const button = await untilDrawn(page, '[part="submit-button"]:enabled');
  await button?.click();
  await button?.dispose();
}

/** What the card's fields hold. */
export function cardFields(page: Page): Promise<Record<string, string>> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    Object.fromEntries(
      [...(shadowRoot?.querySelectorAll<HTMLInputElement>('form input') ?? [])].map(
        ({ id, value }) => [id, value],
      ),
    ),
  );
}

/** The words on every button that is there. */
export function buttonsOn(page: Page): Promise<string[]> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    [...(shadowRoot?.querySelectorAll('button') ?? [])].map(({ innerText }) =>
      innerText.replaceAll(/\s+/g, ' ').trim(),
    ),
  );
}

/** The body of one creation, as it came from the browser. */
type SentBody = Readonly<Record<string, unknown>> & {
  readonly card?: Readonly<Record<string, unknown>>;
};

/** Records what a page sends, wherever to: its creations in order, and every body. */
function recordSent(page: Page): { readonly cards: SentBody[]; readonly bodies: string[] } {
  const sent = { cards: [] as SentBody[], bodies: [] as string[] };
  page.on('request', (request) => {
    const body = request.postData();
    if (body === undefined) return;
    sent.bodies.push(body);
    const creation = JSON.parse(body) as SentBody;
    if (creation['method'] === 'credit_card') sent.cards.push(creation);
  });
  return sent;
}

/** A page that takes cards, and the shop behind it. */
export type OpenedCardPage = Awaited<ReturnType<typeof openCardShop>>;

/** How one shop and its page differ. */
export interface CardShopOptions {
  readonly page?: CardPageOptions;
  readonly proxy?: Partial<ProxyOptions>;
  /** How many times faster than the world's the clocks run. Default: ten times. */
  readonly speed?: number;
  /** Runs before the page is loaded. */
  readonly prepare?: (page: Page, shop: Shop) => Promise<void>;
}

/** A page of a shop of its own, so that counts, limits and storage stay apart. */
export async function openCardShop(t: TestContext, options: CardShopOptions = {}) {
  const { proxy, speed = usualSpeed } = options;
  const shop = await openShop({ speed, ...(proxy && { proxy }) });
  t.onTestFinished(() => shop.close());
  const context = await openContext(t);
  const { reference, url } = await addCardPage(shop, options.page);
  return { shop, context, reference, ...(await openCardPage(context, shop, url, options)) };
}

/** Opens a page that takes cards, once more or for the first time. */
export async function openCardPage(
  context: BrowserContext,
  shop: Shop,
  url: string,
  { prepare }: CardShopOptions = {},
): Promise<{ page: Page; sent: ReturnType<typeof recordSent> }> {
  const opened: { sent?: ReturnType<typeof recordSent> } = {};
  const page = await openPage(context, shop, url, async (opening) => {
    opened.sent = recordSent(opening);
    await prepare?.(opening, shop);
  });
  assert.ok(opened.sent);
  return { page, sent: opened.sent };
}

/** One charge at the service, of this order's price, by this way. */
export function assertCharged(
  { shop, reference }: Pick<OpenedCardPage, 'shop' | 'reference'>,
  method = 'credit_card',
): void {
  const { count, total_cents, charges } = shop.chargesOf(reference);
  assert.deepEqual(
    { count, total_cents, method: charges[0]?.method },
    { count: 1, total_cents: totalCents, method },
  );
}

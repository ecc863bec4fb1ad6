/**
 * What a payer does who pays by card, and the pages of merchants who take cards.
 *
 * Owns the page's script (table, tokenizer) and how a card is typed; what a test card does is the sandbox's to say.
 */
import type { Page } from 'puppeteer-core';
import type { PixCheckout } from '../../../src/element.js';
import { testCards } from '../../../src/sandbox/test-cards.js';
import type { OrderPage, PageOptions, Shop } from './shop.js';

/** What is typed beside the number. */
export const holder = {
  card_name: 'MARIA DA SILVA',
  card_expiry: '12/39',
  card_code: '737',
} as const;

/** The words on the button of an order of the shop's usual price. */
export const payButton = 'Pagar R$ 129,90';

/** What the page's own script does with its element, before the checkout's script is there. */
export type SetUp = (checkout: PixCheckout, tokens: Readonly<Record<string, string>>) => void;

/** The tokenizer of a merchant whose provider knows the test cards. */
export const withTokenizer: SetUp = (checkout, tokens) => {
  checkout.tokenizeCard = async (card) => ({ token: tokens[card?.number ?? ''] ?? 'tok_other' });
};

/** How a page that takes cards differs. */
export interface CardPageOptions extends PageOptions {
  /** Runs inside the page, so that it may use nothing of this process; default {@link withTokenizer}. */
  readonly setUp?: SetUp;
}

/** A page whose payer needs to type nothing but a card: methods Pix and card, the card first. */
export async function addCardPage(shop: Shop, options: CardPageOptions = {}): Promise<OrderPage> {
  const { setUp = withTokenizer, rest = '', attributes, ...others } = options;
  const script = `/scripts/${crypto.randomUUID()}.js`;
  const tokens = Object.fromEntries(testCards.map(({ number, token }) => [number, token]));
  const body = `(${String(setUp)})(document.querySelector('pix-checkout'), ${JSON.stringify(tokens)})`;
  shop.server.handlers.set(script, async () => {
    return new Response(body, { headers: { 'Content-Type': 'text/javascript' } });
  });
  return shop.addPage({
    ...others,
    attributes: { methods: 'credit_card pix', 'payer-fields': '', ...attributes },
    // Without `type="module"` it runs at once, and not after what waits for the whole page.
    rest: `<script src="${script}"></script>${rest}`,
  });
}

/** Number of the test card that plays a scenario. */
export function numberOf(scenario: string): string {
  const known = testCards.find((card) => card.scenario === scenario);
  if (!known) throw new Error(`No test card plays ${scenario}`);
  return known.number;
}

/** Types a card into the form, over what stands there. */
export async function fillCard(
  page: Page,
  scenario: string,
  others: Partial<Record<keyof typeof holder, string>> = {},
): Promise<void> {
  const card = { card_number: numberOf(scenario), ...holder, ...others };
  for (const [field, value] of Object.entries(card)) {
    const input = await page.waitForSelector(`pix-checkout >>> #${field}`);
    await input?.evaluate((control) => (control as HTMLInputElement).select());
    await input?.type(value);
  }
}

/** Fills the form in and presses the button. */
export async function payByCard(page: Page, scenario: string): Promise<void> {
  await fillCard(page, scenario);
  await pressPay(page);
}

/** Presses the form's own button. */
export async function pressPay(page: Page): Promise<void> {
  await page.locator('pix-checkout >>> [part="submit-button"]').click();
}

/** What the card's fields hold. */
export function cardFields(page: Page): Promise<Record<string, string>> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    Object.fromEntries(
      [...(shadowRoot?.querySelectorAll('input') ?? [])].map(({ id, value }) => [id, value]),
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
export type SentBody = Readonly<Record<string, unknown>> & {
  readonly card?: Readonly<Record<string, unknown>>;
};

/** Records what a page sends, wherever to: its creations in order, and every body. */
export function recordSent(page: Page): { readonly cards: SentBody[]; readonly bodies: string[] } {
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

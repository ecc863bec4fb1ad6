/**
 * The demo page: shop and checkout on one side, QA tools on the other. This file starts them and passes choices to the
 * element.
 */

import type { PixCheckout } from '../src/index.js';
import { applyOrder, createCheckout } from './checkout.js';
import type { ShopOrder } from './shop-order.js';
import { find } from './find.js';
import { call, setFaults, setProxy } from './qa/api.js';
import { showCards } from './qa/cards-panel.js';
import { showLog } from './qa/log-panel.js';
import { showOptions } from './qa/options-panel.js';
import { isSameButLooks, looksOf, newReference, readOptions, toQuery } from './qa/options.js';
import type { Options } from './qa/options.js';
import { moveDeadline, payLess, payTwice } from './qa/payments.js';
import type { ProxyState } from './qa/proxy-switch.js';
import { createSandboxPanels } from './qa/sandbox-panels.js';
import { scenarioParameter, showScenarios, toScenarioQuery } from './qa/scenarios-panel.js';
import { scenarios } from './qa/scenarios.js';
import { showSnippet, toSnippet } from './qa/snippet.js';
import { denyClipboard, fillForm, fillTestCard, pay } from './qa/stage.js';
import type { Stage } from './qa/stage.js';
import { numberOf } from './qa/test-card-list.js';
import { showTabs } from './qa/tabs.js';
import { showToolbar } from './qa/toolbar.js';
import type { Arrival } from './qa/toolbar.js';
import { toShopWords, withGoods } from './shops.js';
import { showStorefront } from './storefront.js';

const query = new URLSearchParams(location.search);
/** What the address of a scenario says beside its name: it stays as it is while the scenario plays. */
let given = readOptions(query);
let scenario = scenarios.find(({ id }) => id === query.get(scenarioParameter));
let options: Options = scenario ? { ...given, order: newReference(), ...scenario.options } : given;
let arrival: Arrival = 'on its way';
let note = '';
let order: ShopOrder;
let checkout: PixCheckout;

const log = showLog(find('log'));
const {
  start: startPanels,
  refresh,
  run,
} = createSandboxPanels({
  referenceOf: () => options.order,
  log,
  tell(text) {
    note = text;
    showBar();
  },
});

/** The page as scenarios and the toolbar see it. */
const stage: Stage = {
  get checkout() {
    return checkout;
  },
  get order() {
    return order;
  },
  choose: (some) => change({ ...options, ...some }, scenario !== undefined),
  async reopen(some = {}) {
    checkout.remove();
    await open({ ...options, ...some });
  },
};

run(start);

async function start(): Promise<void> {
  showTabs();
  showCards(find('cards'), (number) => fillTestCard(checkout, number));
  find('frame').addEventListener('pix-submit', ({ detail }) => {
    find('frame').dataset['method'] = detail.method;
  });
  find('frame').addEventListener('pix-status', () => {
    showBar();
    void refresh();
  });
  // The event only moves the page. The shop's server ships goods, when the proxy calls `onPaid`.
  find('frame').addEventListener('pix-paid', () => showShop(true));
  if (options['deny-clipboard']) denyClipboard();
  const played = scenario;
  if (played) await setFaults(played.faults ?? []);

  order = await prepareOrder();
  await open();
  showChoices();
  await startPanels();
  try {
    await played?.steps?.(stage);
  } finally {
    document.documentElement.dataset['settled'] = '';
    showBar();
  }
}

/** Puts an element for the order on the page. */
async function open(chosen = options): Promise<void> {
  checkout = await createCheckout(toShown(), chosen);
  find('frame').append(checkout);
  log.listenTo(checkout);
  showShop(false);
  showBar();
}

/** Prepares order and proxy switches on the server, then loads the order as any shop page would. */
async function prepareOrder(): Promise<ShopOrder> {
  const path = encodeURIComponent(options.order);
  await call('PUT', `/qa/orders/${path}`, {
    total_cents: toNumber(options.total),
    pix_total_cents: toNumber(options['pix-total']),
    expires_in: toNumber(options['server-expires-in']),
    status: options['order-status'],
  });
  await setProxy({
    line: options.proxy as ProxyState['line'],
    hold: options.hold === 'on',
    cardFile: options['card-file'] === 'there',
  });
  return call('GET', `/orders/${path}`);
}

/**
 * Changes the running element; another source of the invoice needs a new page.
 *
 * @param isPlayed the scenario itself changes something: the page still shows it
 */
async function change(next: Options, isPlayed = false): Promise<void> {
  const restarts = (['invoice', 'deny-clipboard', 'card-file'] as const).some(
    (name) => next[name] !== options[name],
  );
  if (isSameButLooks(next, options)) given = { ...given, ...looksOf(next) };
  else if (!isPlayed) scenario = undefined;
  options = next;
  showChoices();
  if (restarts) {
    location.reload();
    return;
  }
  const { orderToken, ...fresh } = await prepareOrder();
  // Keep the token: with a new one the element would start anew, even if only a text changes.
  const isSame = fresh.externalId === order.externalId;
  order = { ...fresh, orderToken: isSame ? order.orderToken : orderToken };
  applyOrder(checkout, toShown(), options);
  showShop(checkout.phase === 'paid');
  showCode();
}

/** The address of this order, with its options: what the page is reloaded by. */
function orderAddress(): string {
  return `?${toQuery(options)}${location.hash}`;
}

/** Shows the options in the URL, on the page and in the panels. */
function showChoices(): void {
  const address = scenario
    ? `?${toScenarioQuery(scenario, given)}${location.hash}`
    : orderAddress();
  history.replaceState(null, '', address === '?' ? location.pathname : address);
  document.documentElement.dataset['theme'] = options.theme;
  find('frame').dataset['width'] = options.frame;
  find('frame').dir = options.dir;
  showOptions(find('options'), options, orderAddress(), {
    change: (next) => run(() => change(next)),
    reset: () => checkout.reset(),
  });
  showCode();
  showBar();
}

/** Shows where the checkout stands, in the toolbar and among the scenarios. */
function showBar(): void {
  const phase = checkout?.phase ?? null;
  const isSettled = 'settled' in document.documentElement.dataset;
  if (isSettled && arrival !== 'reached')
    arrival = phase === scenario?.phase ? 'reached' : 'missed';
  showScenarios(find('scenarios'), options, { scenario, arrival });
  showToolbar(
    find('toolbar'),
    { phase, scenario, arrival, note },
    {
      fill() {
        fillForm(checkout);
        fillTestCard(checkout, numberOf('approve'));
      },
      pay: () => run(() => pay(stage)),
      payLess: () => run(() => payLess(stage)),
      payTwice: () => run(() => payTwice(stage)),
      hurry: () => run(() => moveDeadline(stage, 10)),
      expire: () => run(() => moveDeadline(stage, 0)),
      newOrder: () => run(() => change({ ...options, order: newReference() })),
      reload: () => location.assign(orderAddress()),
    },
  );
}

function showCode(): void {
  if (!checkout) return;
  const { texts, installments, tokenizeCard } = checkout;
  const attributes = [...checkout.attributes];
  const theme = options.shop === '' ? '' : `/demo/themes/${options.shop}.css`;
  showSnippet(
    find('snippet'),
    toSnippet({ attributes, texts, installments, tokenizeCard }, options, theme),
  );
}

/** Shows the shop in its language and its colours. */
function showShop(isPaid: boolean): void {
  const { shop } = options;
  const sheet = document.querySelector<HTMLLinkElement>('#theme');
  const theme = shop === '' ? '' : `/demo/themes/${shop}.css`;
  if (sheet && sheet.getAttribute('href') !== theme) sheet.setAttribute('href', theme);
  document.documentElement.dataset['shop'] = shop;
  showStorefront(toShown(), toShopWords(options), { shop, isPaid });
}

/** The order as this shop calls it. */
function toShown(): ShopOrder {
  return withGoods(order, toShopWords(options));
}

function toNumber(value: string): number | null {
  return value === '' ? null : Number(value);
}

/**
 * The demo page: shop and checkout on one side, QA tools on the other. This file starts them and passes choices to the
 * element.
 */

import type { PixCheckout } from '../src/index.js';
import { applyOrder, createCheckout } from './checkout.js';
import type { ShopOrder } from './checkout.js';
import { find } from './find.js';
import { call, setFaults, setProxy } from './qa/api.js';
import { showCards } from './qa/cards-panel.js';
import { showEventLog } from './qa/event-log.js';
import { showOptions } from './qa/options-panel.js';
import { newReference, readOptions, toQuery } from './qa/options.js';
import type { Options } from './qa/options.js';
import type { ProxyState } from './qa/proxy-switch.js';
import { createSandboxPanels } from './qa/sandbox-panels.js';
import { scenarioParameter, showScenarios } from './qa/scenarios-panel.js';
import { scenarios } from './qa/scenarios.js';
import { denyClipboard, fillForm, fillTestCard } from './qa/stage.js';
import { showStorefront } from './storefront.js';

const query = new URLSearchParams(location.search);
const scenario = scenarios.find(({ id }) => id === query.get(scenarioParameter));
let options: Options = {
  ...readOptions(query),
  ...(scenario ? { order: newReference(), ...scenario.options } : {}),
};
let order: ShopOrder;
let checkout: PixCheckout;
const { start: startPanels, refresh, run } = createSandboxPanels(() => options.order);

run(start);

async function start(): Promise<void> {
  foldOnSmallScreens();
  showEventLog(find('events'));
  showCards(find('cards'), (number) => fillTestCard(checkout, number));
  showChoices();
  find('frame').addEventListener('pix-submit', ({ detail }) => {
    find('frame').dataset['method'] = detail.method;
  });
  find('frame').addEventListener('pix-status', ({ detail }) => {
    find('phase').textContent = detail.phase;
    void refresh();
  });
  // The event only moves the page. The shop's server ships goods, when the proxy calls `onPaid`.
  find('frame').addEventListener('pix-paid', () => showStorefront(order, true));
  if (options['deny-clipboard']) denyClipboard();
  if (scenario) await setFaults(scenario.faults ?? []);

  order = await prepareOrder();
  showStorefront(order, false);
  checkout = await createCheckout(order, options);
  find('frame').append(checkout);
  find('phase').textContent = checkout.phase;
  await startPanels();
  await scenario?.steps?.({
    checkout,
    order,
    choose: (some) => change({ ...options, ...some }),
  });
  document.documentElement.dataset['settled'] = '';
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

/** Changes the running element; another source of the invoice needs a new page. */
async function change(next: Options): Promise<void> {
  const restarts = (['invoice', 'deny-clipboard', 'card-file'] as const).some(
    (name) => next[name] !== options[name],
  );
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
  showStorefront(order, checkout.phase === 'paid');
  applyOrder(checkout, order, options);
}

/** Shows the options in the URL, on the page and in the panels. */
function showChoices(): void {
  const search = toQuery(options).toString();
  history.replaceState(null, '', search === '' ? location.pathname : `?${search}`);
  document.documentElement.dataset['theme'] = options.theme;
  find('frame').dataset['width'] = options.frame;
  showScenarios(find('scenarios'), options);
  showOptions(find('options'), options, location.href, {
    change: (next) => run(() => change(next)),
    newOrder: () => run(() => change({ ...options, order: newReference() })),
    reset: () => checkout.reset(),
    fillForm: () => fillForm(checkout),
  });
}

/** On a wide screen the columns stand side by side; on a narrow one the tools are folded, below. */
function foldOnSmallScreens(): void {
  const wide = matchMedia('(min-width: 1000px)');
  const tools = find('qa') as HTMLDetailsElement;
  const follow = () => (tools.open = wide.matches);
  wide.addEventListener('change', follow);
  follow();
}

function toNumber(value: string): number | null {
  return value === '' ? null : Number(value);
}

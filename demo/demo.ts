/**
 * The demo page: shop and checkout on one side, QA tools on the other.
 *
 * Owns the order in which they come up and how a choice reaches the element. What each panel shows is its own affair.
 */

import { html, render } from 'lit';
import type { PixCheckout } from '../src/index.js';
import { applyOrder, createCheckout } from './checkout.js';
import type { ShopOrder } from './checkout.js';
import { call, listFaults, listInvoices, setFaults, setProxy } from './qa/api.js';
import { showBank } from './qa/bank-panel.js';
import { showEventLog } from './qa/event-log.js';
import { showFaults } from './qa/faults-panel.js';
import type { FaultsModel } from './qa/faults-panel.js';
import { showOptions } from './qa/options-panel.js';
import { newReference, readOptions, toQuery } from './qa/options.js';
import type { Options } from './qa/options.js';
import { createRun } from './qa/run.js';
import { scenarioParameter, showScenarios } from './qa/scenarios-panel.js';
import { scenarios } from './qa/scenarios.js';
import { denyClipboard, fillForm } from './qa/stage.js';
import { showStorefront } from './storefront.js';

/** How often the panels look at the sandbox, milliseconds. */
const watchEveryMs = 1_500;

interface About {
  readonly faultKinds: FaultsModel['kinds'];
  readonly assumptions: readonly string[];
}

const query = new URLSearchParams(location.search);
const scenario = scenarios.find(({ id }) => id === query.get(scenarioParameter));
let options: Options = {
  ...readOptions(query),
  ...(scenario ? { order: newReference(), ...scenario.options } : {}),
};
let order: ShopOrder;
let checkout: PixCheckout;
let kinds: FaultsModel['kinds'] = [];

const run = createRun(find('alert'), () => void watchSandbox());

start().catch((error: unknown) => (find('alert').textContent = String(error)));

async function start(): Promise<void> {
  foldOnSmallScreens();
  showEventLog(find('events'));
  showPanels();
  document.addEventListener('pix-status', () => {
    showPhase();
    void watchSandbox();
  });
  // The event moves the page. Goods are shipped by the shop's server, and only on the proxy's word.
  document.addEventListener('pix-paid', () => showStorefront(order, true));
  if (options['deny-clipboard']) denyClipboard();
  if (scenario) await setFaults([]);

  order = await prepareOrder();
  showStorefront(order, false);
  checkout = await createCheckout(order, options);
  find('frame').append(checkout);
  setInterval(() => void watchSandbox(), watchEveryMs);
  await showAbout();
  await scenario?.steps?.({
    checkout,
    order,
    choose: (some) => change({ ...options, ...some }),
  });
  document.documentElement.dataset['settled'] = '';
}

/** Has the server know the order and the proxy its switches, then loads the order as any shop page would. */
async function prepareOrder(): Promise<ShopOrder> {
  const path = encodeURIComponent(options.order);
  await call('PUT', `/qa/orders/${path}`, {
    total_cents: toNumber(options.total),
    pix_total_cents: toNumber(options['pix-total']),
    expires_in: toNumber(options['server-expires-in']),
    status: options['order-status'],
  });
  await setProxy({ down: options.proxy === 'down', hold: options.hold === 'on' });
  return call('GET', `/orders/${path}`);
}

/** What can change on a running element does; where the invoice comes from needs a new page. */
async function change(next: Options): Promise<void> {
  const restarts = (['invoice', 'deny-clipboard'] as const).some(
    (name) => next[name] !== options[name],
  );
  options = next;
  showPanels();
  if (restarts) return location.reload();
  const { orderToken, ...fresh } = await prepareOrder();
  // A new token is a new order to the element: it would begin anew when only a text was to change.
  const isSame = fresh.externalId === order.externalId;
  order = { ...fresh, orderToken: isSame ? order.orderToken : orderToken };
  showStorefront(order, checkout.phase === 'paid');
  applyOrder(checkout, order, options);
}

function showPanels(): void {
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

async function watchSandbox(): Promise<void> {
  if (document.hidden) return;
  const seen = await Promise.all([listInvoices(), listFaults()]).catch(() => null);
  if (!seen) {
    find('phase').textContent = 'the demo’s server is gone';
    return;
  }
  const [invoices, faults] = seen;
  showBank(find('bank'), { invoices, reference: options.order }, run);
  showFaults(find('faults'), { kinds, faults }, run);
  showPhase();
}

async function showAbout(): Promise<void> {
  const about = await call<About>('GET', '/qa/about');
  kinds = about.faultKinds;
  await watchSandbox();
  render(
    html`<details>
      <summary>What the sandbox had to invent</summary>
      <ul>
        ${about.assumptions.map((line) => html`<li>${line}</li>`)}
      </ul>
    </details>`,
    find('about'),
  );
}

function showPhase(): void {
  find('phase').textContent = document.querySelector('pix-checkout')?.phase ?? '…';
}

/** On a wide screen both columns stand side by side; on a narrow one the tools wait below, folded. */
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

function find(id: string): HTMLElement {
  return document.getElementById(id)!;
}

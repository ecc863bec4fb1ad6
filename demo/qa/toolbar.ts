/** The bar that stays in view: how the checkout stands, and what payer and bank do most often. */

import { html, nothing, render } from 'lit';
import type { Phase } from '../../src/index.js';
import type { Scenario } from './stage.js';

/** Whether the scenario came where it belongs. */
export type Arrival = 'on its way' | 'reached' | 'missed';

/** What the bar shows. */
export interface ToolbarModel {
  readonly phase: Phase | null;
  readonly scenario: Scenario | undefined;
  readonly arrival: Arrival;
  /** Result or error of the last action. */
  readonly note: string;
}

/** What the bar can do. */
export type ToolbarActions = Readonly<
  Record<
    'fill' | 'pay' | 'payLess' | 'payTwice' | 'hurry' | 'expire' | 'newOrder' | 'reload',
    () => void
  >
>;

type Button = readonly [
  action: keyof ToolbarActions,
  words: string,
  title: string,
  /** Those in which it makes sense; none: always. */
  phases: readonly Phase[],
];

/** What a payment needs, always in the bar. */
const mainButtons: readonly Button[] = [
  ['fill', 'Fill', 'Type a test payer, or an approved test card', ['form']],
  ['pay', 'Pay', 'Pay the newest invoice', ['awaiting', 'expired', 'confirming']],
];

/** In the bar once an order is paid; before that in the menu. */
const newOrder: Button = ['newOrder', 'New order', 'The same options with a new order', []];

/** The others, in a menu where the bar is narrow. */
const otherButtons: readonly Button[] = [
  ['payLess', 'Pay less', 'Pay R$ 1,00 too little', ['awaiting', 'expired']],
  ['payTwice', 'Pay twice', 'Ask for a second code, and pay both', ['awaiting', 'expired']],
  ['hurry', '10 s left', 'Move the deadline', ['awaiting']],
  ['expire', 'Expire now', 'Let the deadline pass', ['awaiting']],
  newOrder,
  ['reload', 'Reload', 'This order again, as after a closed tab', []],
];

/** The demo's other pages. */
const pages = [
  ['/gallery', 'Gallery', 'Every screen and text'],
  ['/modal', 'Dialog', 'A cart that opens the checkout'],
  ['/sandbox/', 'Bank', 'All invoices of the sandbox'],
] as const;

/** Shows the bar. */
export function showToolbar(
  container: HTMLElement,
  { phase, scenario, arrival, note }: ToolbarModel,
  actions: ToolbarActions,
): void {
  const toButtons = (buttons: readonly Button[], look = '') =>
    buttons.map(([name, words, title, phases]) => {
      const fits = phase !== null && (phases.length === 0 || phases.includes(phase));
      return html`<button
        type="button"
        class=${look}
        data-action=${name}
        title=${title}
        ?disabled=${!fits}
        @click=${() => {
          container.querySelector<HTMLElement>('#more')?.hidePopover();
          actions[name]();
        }}
      >
        ${words} <small aria-hidden="true">${title}</small>
      </button>`;
    });
  render(
    html`<div class="strip">
        <p class="state">
          <output id="phase" class="phase-${phase ?? ''}">${phase ?? '…'}</output>
          ${
            scenario
              ? html`<span class="label">${scenario.label}</span> ${renderArrival(arrival)}`
              : nothing
          }
        </p>
        <div class="buttons" role="group" aria-label="Actions">
          ${toButtons(mainButtons, 'main')} ${toButtons([newOrder], phase === 'paid' ? 'main' : '')}
          <button type="button" class="open-more" popovertarget="more">More</button>
          <div class="more" id="more" popover>
            ${toButtons(otherButtons)}
            <nav aria-label="Other pages">
              ${pages.map(
                ([address, words, title]) =>
                  html`<a class="button" href=${address} title=${title}
                    >${words} <small aria-hidden="true">${title}</small></a
                  >`,
              )}
            </nav>
          </div>
        </div>
        <a class="button tools" href="#qa">Tools</a>
      </div>
      <p class="alert" id="alert" role="alert">${note}</p>`,
    container,
  );
}

/** A tick once the expected phase was reached. */
export function renderArrival(arrival: Arrival) {
  const sign = { 'on its way': '…', reached: '✓', missed: '✗' }[arrival];
  return html`<b class="arrival" data-arrival=${arrival} aria-label=${arrival} role="img"
    >${sign}</b
  >`;
}

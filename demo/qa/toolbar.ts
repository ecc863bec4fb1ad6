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

/** Each button, and the phases in which it makes sense; none: always. */
const buttons: readonly [
  action: keyof ToolbarActions,
  words: string,
  title: string,
  phases: readonly Phase[],
][] = [
  ['fill', 'Fill', 'Type a test payer, or an approved test card', ['form']],
  ['pay', 'Pay', 'Pay the newest invoice', ['awaiting', 'expired', 'confirming']],
  ['payLess', 'Pay less', 'Pay R$ 1,00 too little', ['awaiting', 'expired']],
  ['payTwice', 'Pay twice', 'Ask for a second code, and pay both', ['awaiting', 'expired']],
  ['hurry', '10 s left', 'Move the deadline', ['awaiting']],
  ['expire', 'Expire now', 'Let the deadline pass', ['awaiting']],
  ['newOrder', 'New order', 'The same options with a new order', []],
  ['reload', 'Reload', 'This order again, as after a closed tab', []],
];

/** Shows the bar. */
export function showToolbar(
  container: HTMLElement,
  { phase, scenario, arrival, note }: ToolbarModel,
  actions: ToolbarActions,
): void {
  render(
    html`<div class="strip">
        <a class="tools" href="#qa">Tools</a>
        <p class="state">
          <output id="phase" class="phase-${phase ?? ''}">${phase ?? '…'}</output>
          ${scenario ? html`<span>${scenario.label} ${renderArrival(arrival)}</span>` : nothing}
        </p>
        <div class="buttons" role="group" aria-label="Actions">
          ${buttons.map(([name, words, title, phases]) => {
            const fits = phase !== null && (phases.length === 0 || phases.includes(phase));
            return html`<button
              type="button"
              data-action=${name}
              title=${title}
              ?disabled=${!fits}
              @click=${actions[name]}
            >
              ${words}
            </button>`;
          })}
        </div>
        <a class="away" href="/gallery">Gallery</a>
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

/** The scenarios as links: each loads the page with a new order, and can be sent to a colleague. */

import { html, nothing, render } from 'lit';
import { looksOf, toQuery } from './options.js';
import type { Options } from './options.js';
import { scenarioGroups } from './scenarios.js';
import type { Scenario } from './stage.js';
import { renderArrival } from './toolbar.js';
import type { Arrival } from './toolbar.js';

/** The query's name for a scenario. */
export const scenarioParameter = 'scenario';

/** The scenario that the list marks. */
export interface Current {
  /** The scenario that is shown; undefined: a state of the page's own. */
  readonly scenario: Scenario | undefined;
  readonly arrival: Arrival;
}

/** The address of a scenario. It opens the same state with a new order. */
export function toScenarioQuery({ id }: Scenario, options: Partial<Options>): string {
  return new URLSearchParams([[scenarioParameter, id], ...toQuery(options)]).toString();
}

/** Shows the links, which keep the options of the page's looks. */
export function showScenarios(container: HTMLElement, options: Options, current: Current): void {
  const looks = looksOf(options);
  render(
    html`<p class="hint">
        A whole payment: <b>Fill</b>, the shop’s button, <b>Pay</b>; by card from <i>Card form</i>.
        Each state below opens with a new order, and its address can be shared.
      </p>
      ${Object.entries(scenarioGroups).map(
        ([title, group]) =>
          html`<h3>${title}</h3>
            <ul class="scenarios">
              ${group.map((scenario) => html`<li>${renderLink(scenario, looks, current)}</li>`)}
            </ul>`,
      )}`,
    container,
  );
}

function renderLink(scenario: Scenario, looks: Partial<Options>, current: Current) {
  const isCurrent = scenario === current.scenario;
  return html`<a
    class="phase-${scenario.phase}"
    href="?${toScenarioQuery(scenario, looks)}"
    aria-current=${isCurrent ? 'page' : nothing}
    >${scenario.label} ${isCurrent ? renderArrival(current.arrival) : nothing}
    <small>${scenario.phase}</small></a
  >`;
}

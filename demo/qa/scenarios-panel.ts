/** The scenarios as links: each loads the page with a new order, and can be sent to a colleague. */

import { html, render } from 'lit';
import { toQuery } from './options.js';
import type { Options } from './options.js';
import { scenarioGroups } from './scenarios.js';
import type { Scenario } from './stage.js';

/** The query's name for a scenario. */
export const scenarioParameter = 'scenario';

/** Shows the links, which keep the options of the page's looks. */
export function showScenarios(container: HTMLElement, { theme, frame, locale }: Options): void {
  const looks = toQuery({ theme, frame, locale });
  render(
    html`<header>
        <h3>Scenarios</h3>
        <p>A new order each time</p>
      </header>
      ${Object.entries(scenarioGroups).map(
        ([title, group]) =>
          html`<h4>${title}</h4>
            <ul class="buttons">
              ${group.map((scenario) => html`<li>${renderLink(scenario, looks)}</li>`)}
            </ul>`,
      )}`,
    container,
  );
}

function renderLink({ id, label, phase }: Scenario, looks: URLSearchParams) {
  const query = new URLSearchParams([[scenarioParameter, id], ...looks]);
  return html`<a class="button phase-${phase}" href="?${query}">${label}</a>`;
}

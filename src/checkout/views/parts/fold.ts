/** A finished step as one line that the payer can open in place, by `<details>`: the browser keeps its state and handles its keys. */

import { html } from 'lit';

/** @param line what is settled @param way what opens it @param content stands open where nothing is settled yet */
export function renderFold(settled: boolean, line: unknown, way: string, content: unknown) {
  return html`<details class="fold" ?open=${!settled}>
    <summary ?hidden=${!settled}>${line}<span class="link">${way}</span></summary>
    ${content}
  </details>`;
}

/** What is settled is one line with a way to open it in place. The browser keeps whether it is open, and its keys. */

import { html } from 'lit';

/** @param line what is settled @param way what opens it @param content stands open where nothing is settled yet */
export function renderFold(settled: boolean, line: unknown, way: string, content: unknown) {
  return html`<details class="fold" ?open=${!settled}>
    <summary ?hidden=${!settled}>${line}<span class="link">${way}</span></summary>
    ${content}
  </details>`;
}

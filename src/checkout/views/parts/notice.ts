/** The frame of a screen that says one thing: a sign, its first sentence as heading, and what belongs under it. */

import { html, nothing } from 'lit';

/** What a notice is made of. */
export interface Notice {
  /** Name for `::part()`, where the screen has one. */
  readonly part?: 'receipt' | 'error';
  readonly sign: unknown;
  /** The first sentence is the heading, the others stand under it. */
  readonly message: string;
  readonly body: unknown;
}

/** The heading can take the focus, for the element to put it there when a screen gives way to the next. */
export function renderNotice({ part, sign, message, body }: Notice) {
  const end = message.indexOf('. ') + 1 || message.length;
  return html`<div class="notice" part=${part ?? nothing}>
    <span class="sign">${sign}</span>
    <h2 id="title" tabindex="-1">${message.slice(0, end)}</h2>
    <p>${message.slice(end)}</p>
    ${body}
  </div>`;
}

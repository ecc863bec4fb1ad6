/** The form of all options: what the page says to the element, the shop around it, and what is broken between. */

import { html, render } from 'lit';
import { live } from 'lit/directives/live.js';
import { optionGroups } from './option-groups.js';
import type { Control } from './option-groups.js';
import { fromForm } from './options.js';
import type { OptionName, Options } from './options.js';

/** What the panel can do. */
export interface OptionsActions {
  readonly change: (options: Options) => void;
  readonly reset: () => void;
}

/** Groups that are open at first. */
const firstGroups = 1;

/** Shows the panel. @param link the URL of this order */
export function showOptions(
  container: HTMLElement,
  options: Options,
  link: string,
  actions: OptionsActions,
): void {
  const change = (event: Event) => {
    actions.change(fromForm(new FormData(event.currentTarget as HTMLFormElement)));
  };
  render(
    html`<div class="buttons">
        <button type="button" @click=${actions.reset}>reset()</button>
        <a class="button" href=${link} target="_blank" rel="noopener">Second tab</a>
      </div>
      <form @change=${change} @submit=${(event: Event) => event.preventDefault()}>
        ${Object.entries(optionGroups).map(
          ([title, group], index) =>
            html`<details ?open=${index < firstGroups}>
              <summary>${title}</summary>
              ${Object.entries(group).map(([name, { label, control }]) =>
                renderOption(label, control, name, options[name as OptionName]),
              )}
            </details>`,
        )}
      </form>`,
    container,
  );
}

function renderOption(label: string, control: Control, name: string, value: string) {
  switch (control.kind) {
    case 'check':
      return html`<label class="check">
        <input type="checkbox" name=${name} value="on" .checked=${live(value !== '')} /> ${label}
      </label>`;
    case 'choice':
      return html`<label>
        ${label}
        <select name=${name}>
          ${control.choices.map(
            ([choice, words]) =>
              html`<option value=${choice} .selected=${live(choice === value)}>${words}</option>`,
          )}
        </select>
      </label>`;
    case 'lines':
      return html`<label class="lines">
        ${label}
        <textarea
          name=${name}
          rows="3"
          placeholder=${control.hint ?? ''}
          .value=${live(value)}
        ></textarea>
      </label>`;
    case 'text':
    case 'number':
      return html`<label>
        ${label}
        <input
          name=${name}
          inputmode=${control.kind === 'number' ? 'numeric' : 'text'}
          placeholder=${control.hint ?? ''}
          autocomplete="off"
          .value=${live(value)}
        />
      </label>`;
    default:
      return control satisfies never;
  }
}

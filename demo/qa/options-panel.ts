/** The form of all options, with its buttons. */

import { html, render } from 'lit';
import { live } from 'lit/directives/live.js';
import { optionGroups } from './option-groups.js';
import type { Control } from './option-groups.js';
import { fromForm } from './options.js';
import type { OptionName, Options } from './options.js';

/** What the panel can do. */
export interface OptionsActions {
  readonly change: (options: Options) => void;
  readonly newOrder: () => void;
  readonly reset: () => void;
  readonly fillForm: () => void;
}

/** Shows the panel. @param link the URL of this state */
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
    html`<header><h3>Options</h3></header>
      <div class="buttons">
        <button type="button" @click=${actions.fillForm}>Fill in a test payer</button>
        <button type="button" @click=${actions.newOrder}>New order</button>
        <button type="button" @click=${actions.reset}>reset()</button>
        <button type="button" @click=${() => location.reload()}>Reload</button>
        <a class="button" href=${link} target="_blank" rel="noopener">Second tab</a>
      </div>
      <form @change=${change} @submit=${(event: Event) => event.preventDefault()}>
        ${Object.entries(optionGroups).map(
          ([title, group]) =>
            html`<fieldset>
              <legend>${title}</legend>
              ${Object.entries(group).map(([name, { label, control }]) =>
                renderOption(label, control, name, options[name as OptionName]),
              )}
            </fieldset>`,
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

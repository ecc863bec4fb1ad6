/** The faults of the sandbox, one click each. */

import { html, render } from 'lit';
import type { Fault } from '../../src/sandbox/faults.js';
import { listFaults, setFaults } from './api.js';
import type { Run } from './api.js';

type Kind = Fault['kind'];

/** Faults that take a value, and the label of its field. */
const values: Partial<Record<Kind, readonly [field: keyof Fault, hint: string]>> = {
  delay: ['ms', '3000 ms'],
  slow_body: ['ms', '1000 ms'],
  rate_limited: ['retry_after', '2 s'],
  unknown_status: ['status', 'em_analise'],
  redirect: ['http_status', '307'],
  redirect_after_effect: ['http_status', '307'],
  client_error: ['http_status', '400'],
  client_error_after_effect: ['http_status', '400'],
  server_error: ['http_status', '500'],
  server_error_after_effect: ['http_status', '500'],
};

/** The faults that are set, and those that the panel offers. */
export interface FaultsModel {
  readonly kinds: readonly Kind[];
  readonly faults: readonly Fault[];
}

/** Shows the panel. */
export function showFaults(container: HTMLElement, { kinds, faults }: FaultsModel, run: Run): void {
  const add = (kind: Kind) =>
    run(async () => {
      const form = container.querySelector('form');
      await setFaults([...(await listFaults()), toFault(kind, new FormData(form!))]);
    });
  const remove = (index: number) =>
    run(async () => setFaults((await listFaults()).toSpliced(index, 1)));

  render(
    html`<header>
        <h3>Faults of the service</h3>
        <button
          type="button"
          ?disabled=${faults.length === 0}
          @click=${() => run(() => setFaults([]))}
        >
          Clear all
        </button>
      </header>
      <p class="hint">Press one: it strikes the calls that are chosen here.</p>
      <ul class="active">
        ${faults.map((fault, index) => renderActive(fault, () => remove(index)))}
      </ul>
      <form @submit=${(event: Event) => event.preventDefault()}>
        <div class="fields">
          <label
            >Strikes
            <select name="on">
              <option value="create">creation</option>
              <option value="look_up">look-ups</option>
            </select></label
          >
          <label
            >Times
            <select name="times">
              <option>1</option>
              <option>2</option>
              <option>5</option>
              <option value="">until cleared</option>
            </select></label
          >
          <label>Value <input name="value" placeholder="default" /></label>
        </div>
        <div class="buttons">
          ${kinds.map(
            (kind) =>
              html`<button type="button" title=${values[kind]?.[1] ?? ''} @click=${() => add(kind)}>
                ${toWords(kind)}
              </button>`,
          )}
        </div>
      </form>`,
    container,
  );
}

function renderActive({ on, kind, times }: Fault, remove: () => void) {
  const left = typeof times === 'number' ? (times === 0 ? 'used up' : `${times} left`) : 'always';
  return html`<li class=${times === 0 ? 'done' : ''}>
    <b>${toWords(kind)}</b> on ${on === 'create' ? 'creation' : 'look-up'}
    <span class="status">${left}</span>
    <button type="button" aria-label="Remove ${toWords(kind)}" @click=${remove}>×</button>
  </li>`;
}

function toFault(kind: Kind, data: FormData): Fault {
  const word = (name: string) => {
    const entry = data.get(name);
    return typeof entry === 'string' ? entry.trim() : '';
  };
  const [field] = values[kind] ?? [];
  const value = field === undefined ? '' : word('value');
  return {
    on: word('on') as Fault['on'],
    kind,
    times: word('times') === '' ? null : Number(word('times')),
    ...(field === undefined || value === ''
      ? {}
      : { [field]: /^\d+$/.test(value) ? Number(value) : value }),
  };
}

function toWords(kind: Kind): string {
  return kind.replaceAll('_', ' ');
}

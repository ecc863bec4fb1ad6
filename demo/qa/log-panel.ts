/** Shows the log, newest first, filtered by kind and words. */

import { html, nothing, render } from 'lit';
import { Log, logKinds } from './log.js';
import type { Entry } from './log.js';

const kindWords = { request: 'Requests', proxy: 'Proxy', event: 'Events', spoken: 'Spoken' };

/** Starts the log and shows it. @returns the log, which has to be told what the page cannot hear by itself */
export function showLog(container: HTMLElement): Log {
  const shown = new Set<Entry['kind']>(logKinds);
  let words = '';
  const log = new Log(update);
  log.start();
  update();
  return log;

  function chosen(): Entry[] {
    return log.entries.filter(
      ({ kind, title, details }) =>
        shown.has(kind) && [title, ...details].join('\n').toLowerCase().includes(words),
    );
  }

  function update(): void {
    render(
      html`<div class="buttons">
          ${logKinds.map(
            (kind) =>
              html`<button
                type="button"
                class="chip log-${kind}"
                aria-pressed=${shown.has(kind)}
                @click=${() => toggle(kind)}
              >
                ${kindWords[kind]}
              </button>`,
          )}
        </div>
        <div class="row">
          <input
            type="search"
            placeholder="Filter"
            aria-label="Filter the log"
            @input=${(event: Event) => search((event.target as HTMLInputElement).value)}
          />
          <button type="button" @click=${copy}>Copy</button>
          <button type="button" @click=${() => log.clear()}>Clear</button>
        </div>
        <div class="log" role="log" tabindex="0" aria-label="Newest first">
          ${chosen().map(renderEntry)}
        </div>`,
      container,
    );
  }

  function toggle(kind: Entry['kind']): void {
    if (!shown.delete(kind)) shown.add(kind);
    update();
  }

  function search(text: string): void {
    words = text.trim().toLowerCase();
    update();
  }

  function copy(): void {
    const lines = chosen().map((entry) =>
      [`${toTime(entry)} ${entry.kind}: ${entry.title}`, ...entry.details].join('\n'),
    );
    void navigator.clipboard.writeText(lines.join('\n'));
  }
}

function renderEntry(entry: Entry) {
  const { kind, title, details } = entry;
  // A spoken text is a sentence; any other entry begins with its name.
  const [first = '', ...rest] = kind === 'spoken' ? ['', title] : title.split(' ');
  const line = html`<time>${toTime(entry)}</time> <b>${first}</b> <span>${rest.join(' ')}</span>`;
  return html`<div class="entry log-${kind} ${first}">
    ${
      details.length === 0
        ? line
        : html`<details>
            <summary>${line}</summary>
            ${details.map((text) => (text === '' ? nothing : html`<pre>${text}</pre>`))}
          </details>`
    }
  </div>`;
}

/** The Swedish format is the local time of day. */
function toTime({ atMs }: Entry): string {
  const fraction = String(Math.floor(atMs) % 1_000).padStart(3, '0');
  return `${new Date(atMs).toLocaleTimeString('sv-SE')}.${fraction}`;
}

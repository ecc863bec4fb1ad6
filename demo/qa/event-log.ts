/** The live log of the element's DOM events, newest first, heard on the document. */

import { html, render } from 'lit';

const eventNames = [
  'pix-ready',
  'pix-submit',
  'pix-created',
  'pix-status',
  'pix-copy',
  'pix-paid',
  'pix-expired',
  'pix-error',
] as const;

/** Most events shown. */
const capacity = 200;

interface Entry {
  readonly at: string;
  readonly name: string;
  readonly detail: string;
}

/** Listens, and shows each event. */
export function showEventLog(container: HTMLElement): void {
  let entries: readonly Entry[] = [];
  const listen = ({ type, detail }: CustomEvent) => {
    // The Swedish format is the local time to the millisecond.
    const at = `${new Date().toLocaleTimeString('sv-SE')}.${String(Date.now() % 1_000).padStart(3, '0')}`;
    entries = [{ at, name: type, detail: JSON.stringify(detail) }, ...entries].slice(0, capacity);
    update();
  };
  for (const name of eventNames) document.addEventListener(name, listen as EventListener);
  update();

  function update() {
    render(
      html`<header>
          <h3>Events</h3>
          <button type="button" @click=${copy}>Copy</button>
          <button type="button" @click=${clear}>Clear</button>
        </header>
        <div class="log" role="log" tabindex="0" aria-label="Events, newest first">
          ${entries.map(
            ({ at, name, detail }) =>
              html`<p class=${name}><time>${at}</time> <b>${name}</b> <code>${detail}</code></p>`,
          )}
        </div>`,
      container,
    );
  }

  function copy() {
    const lines = entries.map(({ at, name, detail }) => `${at} ${name} ${detail}`);
    void navigator.clipboard.writeText(lines.join('\n'));
  }

  function clear() {
    entries = [];
    update();
  }
}

/**
 * The panels that show the sandbox: bank, faults, assumptions. They are refreshed at intervals and after each button, whose
 * result is shown in a line.
 */

import { html, render } from 'lit';
import { find } from '../find.js';
import { call, countCharges, listFaults, listInvoices, readShop } from './api.js';
import { showBank } from './bank-panel.js';
import { showFaults } from './faults-panel.js';
import type { FaultsModel } from './faults-panel.js';

/** Interval of the refresh, milliseconds. */
const watchEveryMs = 1_500;

/** Runs the action of a button, then shows its result or error. */
export type Run = (step: () => Promise<unknown>) => void;

interface About {
  readonly faultKinds: FaultsModel['kinds'];
  readonly assumptions: readonly string[];
}

/** @param referenceOf returns the reference of the page's present order */
export function createSandboxPanels(referenceOf: () => string) {
  let kinds: FaultsModel['kinds'] = [];

  return { start, refresh, run };

  /** Shows the panels, and keeps them up to date. */
  async function start(): Promise<void> {
    const about = await call<About>('GET', '/qa/about');
    kinds = about.faultKinds;
    render(renderAbout(about), find('about'));
    await refresh();
    setInterval(() => void refresh(), watchEveryMs);
  }

  async function refresh(): Promise<void> {
    if (document.hidden) return;
    const reference = referenceOf();
    const seen = await Promise.all([
      listInvoices(),
      countCharges(reference),
      listFaults(),
      readShop(reference),
    ]).catch(() => null);
    if (!seen) {
      tell('The demo’s server is gone.');
      return;
    }
    const [invoices, charges, faults, shop] = seen;
    showBank(find('bank'), { invoices, charges, shop, reference }, run);
    showFaults(find('faults'), { kinds, faults }, run);
  }

  function run(step: () => Promise<unknown>): void {
    step()
      .then((note) => tell(typeof note === 'string' ? note : ''))
      .catch((error: unknown) => tell(String(error)))
      .finally(() => void refresh());
  }
}

function tell(note: string): void {
  find('alert').textContent = note;
}

function renderAbout({ assumptions }: About) {
  return html`<details>
    <summary>What the sandbox had to invent</summary>
    <ul>
      ${assumptions.map((line) => html`<li>${line}</li>`)}
    </ul>
  </details>`;
}

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
import type { Log } from './log.js';
import type { ProxyEntry } from './proxy-log.js';

/** Interval of the refresh, milliseconds. */
const watchEveryMs = 1_500;

interface About {
  readonly faultKinds: FaultsModel['kinds'];
  readonly assumptions: readonly string[];
}

/** What the panels need of the page. */
export interface PagePorts {
  /** The reference of the page's present order. */
  readonly referenceOf: () => string;
  /** Takes what the proxy has logged. */
  readonly log: Log;
  /** Shows a result or an error; empty: none. */
  readonly tell: (note: string) => void;
}

export function createSandboxPanels({ referenceOf, log, tell }: PagePorts) {
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
      call<ProxyEntry[]>('GET', '/qa/log'),
    ]).catch(() => null);
    if (!seen) {
      tell('The demo’s server is gone.');
      return;
    }
    const [invoices, charges, faults, shop, logged] = seen;
    log.addProxyEntries(logged);
    showBank(find('bank'), { invoices, charges, shop, reference }, run);
    showFaults(find('fault-list'), { kinds, faults }, run);
  }

  function run(step: () => Promise<unknown>): void {
    step()
      .then((note) => tell(typeof note === 'string' ? note : ''))
      .catch((error: unknown) => tell(String(error)))
      .finally(() => void refresh());
  }
}

function renderAbout({ assumptions }: About) {
  return html`<details>
    <summary>What the sandbox had to invent</summary>
    <ul>
      ${assumptions.map((line) => html`<li>${line}</li>`)}
    </ul>
  </details>`;
}

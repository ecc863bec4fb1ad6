/**
 * Somebody at the merchant's who finds out how a card of unknown outcome ended, and says so. Always right when they say it, and they
 * say it again: a double click, and a word that comes late, when another card of the order may be open. What a wrong word does is the
 * merchant's affair.
 */

import { readKept } from '../../support/proxy/kept-order.js';
import type { ResolvedOutcome } from '../../../src/proxy/set-up/options/options.js';
import type { ProxyProcess } from '../processes/proxy-process.js';
import type { Service } from '../network/service.js';
import type { Store } from '../network/store.js';
import type { Rule } from '../rules/watch.js';
import type { World } from '../world.js';

/** What the person works with. */
export interface PersonParts {
  readonly world: World;
  readonly service: Service;
  readonly store: Store;
  readonly processes: () => readonly ProxyProcess[];
  /** How many card creations of an order are on their way to the service. */
  readonly travelling: (externalId: string) => number;
}

/** What is answered. */
type Alert = Omit<ResolvedOutcome, 'invoiceId'>;

/** How long it takes to find out, milliseconds. */
const takesMs = { least: 5_000, most: 60_000 };

/** When a word that counted is said again, milliseconds after it. */
const againMs = [50, 3_000, 12_000, 40_000];

/** Makes the person, who listens to `onOutcomeUnknown`. */
export function createPerson(parts: PersonParts): Rule {
  const { world, service, store, processes, travelling } = parts;
  const { timeline, chance } = world;

  return {
    heard(kind, { externalId, deliveryId }) {
      if (kind !== 'outcome_unknown') return;
      const delayMs = chance.between(takesMs.least, takesMs.most);
      timeline.after(delayMs, null, () => void say({ externalId, deliveryId }, 1));
    },
  };

  /** Whatever has happened since. */
  function repeat(word: ResolvedOutcome, delayMs: number): void {
    timeline.after(delayMs, null, () => {
      const process = processes()[0];
      process?.soon(() => {
        if (process.isOpen) process.proxy.resolveOutcome(word).catch(() => false);
      });
    });
  }

  async function say(alert: Alert, tries: number): Promise<void> {
    const { externalId } = alert;
    const { cards } = await readKept(store.inner, externalId);
    const isOpen = cards.some(({ progress }) => progress.state === 'unknown');
    if (!isOpen || tries > 20) return;
    const process = processes()[0];
    const again = () => void timeline.after(takesMs.least, null, () => void say(alert, tries + 1));
    if (!process || travelling(externalId) > 0) {
      again();
      return;
    }
    const charge = [...service.invoices.values()].find(
      (one) => one.externalId === externalId && one.cardToken !== null && one.status !== 'refused',
    );
    const invoiceId = charge?.id ?? null;
    world.note(`person: ${externalId} is ${invoiceId?.slice(0, 4) ?? 'not charged'}`);
    process.soon(() => {
      if (!process.isOpen) {
        again();
        return;
      }
      process.proxy.resolveOutcome({ ...alert, invoiceId }).then((isSettled) => {
        world.note(`person: that settles it: ${isSettled}`);
        if (!isSettled) again();
        else for (const delayMs of againMs) repeat({ ...alert, invoiceId }, delayMs);
      }, again);
    });
  }
}

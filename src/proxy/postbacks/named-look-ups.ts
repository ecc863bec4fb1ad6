/**
 * Looks up the id that a postback named and that is no open invoice of its order: a refused card may have been paid after
 * all, and an unknown id may be that of a charge of unknown outcome (an unverified match). No look-up falls due for these
 * in the ledger, so one that fails is tried again here.
 */

import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import type { Settings } from '../config/read-options.js';
import type { Ledger, OrderRecord } from '../ledger/ledger.js';
import { createInFlight } from '../runtime/work.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { LookUps } from '../status/shared-look-ups.js';

/** Pauses after look-ups that failed, milliseconds; then the id is given up. */
const againAfterMs: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000, 30 * 60_000];

/** Most such look-ups of one order, over all processes. */
const limit = { most: 3, withinMs: 60_000 };

/** Most ids that wait for another try. */
const maxWaiting = 10_000;

/** What it needs. */
interface NamedLookUpParts {
  readonly settings: Pick<Settings, 'startTimer' | 'now'>;
  readonly ledger: Pick<Ledger, 'find' | 'passThrottle'>;
  readonly lookUp: LookUps['lookUp'];
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'tryUnverifiedMatch'>;
  /** Logs a failure. */
  readonly report: <T>(externalId: string, work: () => Promise<T>, ifFailed: T) => Promise<T>;
}

/** Look-ups of named ids. */
interface NamedLookUps {
  /**
   * Looks the id up, and again while that fails.
   * @param record the order: it may show that the id means nothing
   */
  readonly tryNamed: (externalId: string, invoiceId: string, record: OrderRecord) => void;
  /** Looks up now what waits for another try, and gives up what fails. */
  readonly close: () => Promise<void>;
}

/** Makes the look-ups of ids that postbacks named. */
export function createNamedLookUps(parts: NamedLookUpParts): NamedLookUps {
  const { ledger, lookUp, unresolvedCharges, report } = parts;
  const { startTimer, now } = parts.settings;
  const waiting = new Map<string, { readonly stopTimer: () => void; readonly again: () => void }>();
  const inFlight = createInFlight();

  return {
    tryNamed(externalId, invoiceId, record) {
      if (mayMatter(record, invoiceId)) start(externalId, invoiceId, 0);
    },

    close() {
      for (const { again } of waiting.values()) again();
      return inFlight.close();
    },
  };

  function start(externalId: string, invoiceId: string, failures: number): void {
    const name = `${externalId} ${invoiceId}`;
    waiting.get(name)?.stopTimer();
    waiting.delete(name);
    void inFlight.track(run());

    async function run(): Promise<void> {
      if (await report(externalId, () => ask(externalId, invoiceId, failures), false)) return;
      const waitMs = againAfterMs[failures];
      if (waitMs === undefined || inFlight.isClosing() || waiting.size >= maxWaiting) return;
      waiting.get(name)?.stopTimer();
      const again = () => start(externalId, invoiceId, failures + 1);
      waiting.set(name, { stopTimer: startTimer(again, waitMs), again });
    }
  }

  /** @returns false: it is to be tried again */
  async function ask(externalId: string, invoiceId: string, failures: number): Promise<boolean> {
    const record = await ledger.find(externalId);
    if (!mayMatter(record, invoiceId)) return true;
    if (!(await passLimit(externalId))) return false;
    const invoice = record.invoices.find((one) => one.invoiceId === invoiceId);
    try {
      // That nothing agrees is an answer too.
      if (!invoice) {
        await unresolvedCharges.tryUnverifiedMatch(externalId, invoiceId);
        return true;
      }
      await lookUp(invoice, { freshSinceMs: now() + 1 });
      // Once more: the service may show a change later than it tells of it, and a payment may not have been recorded.
      const { paid } = await ledger.find(externalId);
      return failures > 0 || paid?.invoiceId === invoiceId;
    } catch (thrown) {
      // It is in the log already.
      if (thrown instanceof ProxyError) return false;
      throw thrown;
    }
  }

  /** Each look-up that the limit allows is a throttle of its own. */
  async function passLimit(externalId: string): Promise<boolean> {
    for (let slot = 1; slot <= limit.most; slot += 1) {
      const name = `postback ${externalId} ${slot}`;
      if (await ledger.passThrottle(name, limit.withinMs)) return true;
    }
    return false;
  }
}

/** An invoice of the order that is not paid, or an id that may be that of its unresolved charge. */
function mayMatter({ invoices, cards, paid }: OrderRecord, invoiceId: string): boolean {
  if (paid?.invoiceId === invoiceId) return false;
  const isOwn = invoices.some((one) => one.invoiceId === invoiceId);
  return isOwn || cards.some(({ progress: { state } }) => state === 'sent' || state === 'unknown');
}

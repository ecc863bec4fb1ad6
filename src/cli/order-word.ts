/** What a person found out about an alert, told to the order: `order REF --not-charged` and `--paid-by`. */

import type { OpenLedger } from '../ledger.js';
import { createProxy } from '../proxy.js';
import type { LogEntry, OrderDescription, ProxyOptions, ResolvedOutcome } from '../proxy.js';
import { UsageError } from './command.js';
import type { CommandCall } from './command.js';
import { findMissing, toProxyData } from './serve/check-settings.js';
import { gatherSettings } from './serve/gather-settings.js';
import { toReais } from './terminal.js';
import type { Terminal } from './terminal.js';

/** @returns null: the call says none. @throws UsageError */
export function readWord(
  { values }: Pick<CommandCall, 'values'>,
  { externalId, alerts }: OrderDescription,
): ResolvedOutcome | null {
  const { 'not-charged': notCharged, 'paid-by': paidBy, alert } = values;
  if (notCharged !== undefined) {
    if (paidBy !== undefined) throw new UsageError('Say --not-charged or --paid-by, not both');
    return { externalId, deliveryId: notCharged, invoiceId: null };
  }
  if (paidBy === undefined) return null;
  if (alert !== undefined) return { externalId, deliveryId: alert, invoiceId: paidBy };
  const [only, other] = alerts;
  if (!only || other) throw new UsageError(`Name the alert that it answers: --alert DELIVERY`);
  return { externalId, deliveryId: only.deliveryId, invoiceId: paidBy };
}

/** What the word would do, for a person who decides; and if it changed nothing, why, as far as is known. */
export function explainWord(
  { deliveryId, invoiceId }: ResolvedOutcome,
  { alerts }: OrderDescription,
): { readonly question: string; readonly reason: string } {
  const alert = alerts.find((one) => one.deliveryId === deliveryId);
  const sum = alert ? ` of ${toReais(alert.totalCents)}` : '';
  const noAlert = alert ? null : `no alert ${deliveryId} is open`;
  if (invoiceId !== null) {
    return {
      question: `Invoice ${invoiceId} is what the payment${sum} was charged as. Where the service says paid, your server hears onPaid.`,
      reason: noAlert ?? `the service does not say that ${invoiceId} is a payment of this order`,
    };
  }
  return {
    question:
      alert?.hook === 'onMismatch'
        ? `Invoice ${alert.invoiceId} is given back, and the order may be paid anew.`
        : `The card${sum} was not charged, and the order may be paid anew. If that is wrong, the payer pays twice.`,
    reason: noAlert ?? 'the service says that it is paid, or it is still on its way',
  };
}

/** Asks the service first, as `proxy.resolveOutcome` does. @returns whether the word counts @throws UsageError; ProxyError */
export async function sayWord(
  ledger: OpenLedger,
  word: ResolvedOutcome,
  config: string | undefined,
  { env }: Pick<Terminal, 'env'>,
): Promise<boolean> {
  const gathered = await gatherSettings(env, { config });
  const problems = [
    ...gathered.problems,
    ...findMissing(gathered).map((name) => `${name} is missing: set it as for the proxy`),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const entries: LogEntry[] = [];
  const proxy = createProxy({
    ...toProxyData(gathered),
    ledger,
    resolveOrder: () => null,
    paymentPage: undefined,
    backgroundJobs: false,
    log: (entry: LogEntry) => void entries.push(entry),
  } as unknown as ProxyOptions);
  try {
    return await proxy.resolveOutcome(word);
  } catch (thrown) {
    const other = entries.find(({ event }) => event === 'ledger_of_other_shop');
    if (!other) throw thrown;
    throw new UsageError(
      `PIX_LEDGER_URL: it keeps the orders of another shop (${other.expected}), not of this one (${other.got})`,
    );
  } finally {
    await proxy.close();
  }
}

/**
 * `pix-checkout order`: tells what the ledger knows of an order, answers an alert, has hooks called again, or deletes the
 * order. Proxies may run meanwhile.
 */

import { externalIdPattern } from '../contract/types.js';
import { LedgerError, openLedger, type LedgerOptions, type OpenLedger } from '../ledger.js';
import { ProxyError, createProxy } from '../proxy.js';
import type {
  KeptBecause,
  OrderDescription,
  ResolvedOutcome,
  LogEntry,
  ProxyOptions,
} from '../proxy.js';
import { UsageError, type Command, type CommandCall, type ExitCode } from './command.js';
import { requireSetting, gatherSettings } from './serve/gather-settings.js';
import { findMissing, toProxyData } from './serve/check-settings.js';
import { formatReais, type Terminal } from './terminal.js';

export const orderCommand: Command = {
  summary: 'Tell what happened to an order, and what it waits for.',
  positionals: ['<reference>'],
  options: {
    json: 'The same as JSON, for the file of a dispute.',
    'not-charged <delivery>':
      'Answers this alert: the card was not charged, or the payment is given back.',
    'paid-by <invoice>': 'Answers the open alert: this invoice of the service is the payment.',
    'alert <delivery>': 'With --paid-by: which alert, where several are open.',
    yes: 'Yes, do what --not-charged or --paid-by says, without asking.',
    'config <file>': 'With both: the module of serve, if it has one.',
    'tell-again': 'Tells your server now what it has failed to take.',
    forget: 'Deletes the order, for a request of the person (LGPD).',
  },
  more: [
    'Variables, with the values that the proxy has:',
    '  PIX_LEDGER_URL   or PIX_LEDGER_URL_FILE: file:… or postgres://…',
    '',
    'With --not-charged and --paid-by also those of the proxy: PIX_SERVICE_URL, PIX_ACCESS_TOKEN, PIX_SECRETS, PIX_PUBLIC_URL,',
    'PIX_ALLOWED_ORIGINS, and what else is set for the service. Both ask the service first, and you before they act.',
    '',
    'It may run beside the proxies, and changes nothing without one of these. The running proxies call your hooks within a second.',
    'No personal data, code or token is printed; times are UTC.',
    'Exit codes: 0 told, done or deleted, 1 the ledger does not know the order, something of it is due, or nothing was changed,',
    '2 there is no such ledger, or the call was wrong.',
  ].join('\n'),

  async run(call, terminal) {
    const [reference = ''] = call.positionals;
    const { flags } = call;
    const { env, write, warn } = terminal;
    if (!externalIdPattern.test(reference)) throw new UsageError('<reference> is none of an order');
    const url = await requireSetting(env, 'ledgerUrl');
    const order = await withLedger({ url, readOnly: true }, (ledger) =>
      ledger.describeOrder(reference),
    );
    if (!order) {
      warn(
        `The ledger does not know ${reference}. It keeps an order for ninety days after its last use`,
      );
      return 1;
    }
    if (flags.has('forget')) {
      const answer = await withLedger({ url }, (ledger) => ledger.forget(reference));
      if (answer.forgotten) write(`${reference} is deleted`);
      else warn(`${reference} is kept: ${reasons[answer.reason]}`);
      return answer.forgotten ? 0 : 1;
    }
    const word = readResolution(call, order);
    if (word) return applyResolution(url, word, order, call, terminal);
    write(flags.has('json') ? JSON.stringify(order, null, 2) : toText(order));
    if (flags.has('tell-again')) {
      const isAny = await withLedger({ url }, (ledger) => ledger.tellAgain(reference));
      warn(isAny ? 'The proxies call your hooks again now' : 'Your server has heard of everything');
    }
    return 0;
  },
};

/** Opens the ledger for one function, and closes it again. */
async function withLedger<T>(
  options: LedgerOptions,
  run: (ledger: OpenLedger) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger(options).catch(failAsUsage);
  try {
    return await run(ledger).catch(failAsUsage);
  } finally {
    await ledger.close();
  }
}

/** Asks the person to confirm, applies the answer, and prints what followed. */
async function applyResolution(
  url: string,
  word: ResolvedOutcome,
  order: OrderDescription,
  { values, flags }: CommandCall,
  terminal: Terminal,
): Promise<ExitCode> {
  const { question, reason } = describeResolution(word, order);
  if (!flags.has('yes')) {
    const said = await terminal.ask(`${question}\nType yes if that is so: `);
    if (said === null) throw new UsageError(`${question}\nIf that is so: --yes`);
    if (said.trim() !== 'yes') throw new UsageError('Nothing was changed');
  }
  const ledger = await openLedger({ url }).catch(failAsUsage);
  try {
    const isHeeded = await resolveOutcome(ledger, word, values['config'], terminal);
    const after = await ledger.describeOrder(word.externalId);
    const waits = `Waits for: ${after?.waitsFor}`;
    if (isHeeded) terminal.write(`The word counts: ${question}\n${waits}`);
    else terminal.warn(`Nothing was changed: ${reason}\n${waits}`);
    return isHeeded ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof ProxyError)) throw thrown;
    terminal.warn(`Nothing was changed: the service cannot be asked now (${thrown.code})`);
    return 1;
  } finally {
    await ledger.close();
  }
}

const reasons: Readonly<Record<KeptBecause | 'unknown_order', string>> = {
  unknown_order: 'the ledger does not know it',
  unknown_outcome: 'a card of it may have been charged; find out, and tell the proxy',
  untold: 'your server was not told all of it yet',
  open: 'a code of it may still be paid',
  watched: 'it is paid and watched for a return, for ninety days',
  in_use: 'a page used it within the last seven days, and could pay it anew',
};

/** The codes with which PostgreSQL and SQLite report that a table is missing. */
const noTables: ReadonlySet<string> = new Set(['42P01', 'SQLITE_ERROR']);

/** Throws any failure of the ledger as a UsageError. */
function failAsUsage(thrown: unknown): never {
  if (!(thrown instanceof LedgerError)) {
    throw thrown instanceof Error ? new UsageError(`PIX_LEDGER_URL: ${thrown.message}`) : thrown;
  }
  throw new UsageError(
    noTables.has(thrown.code ?? '')
      ? 'PIX_LEDGER_URL: there are no tables; a proxy makes them'
      : `PIX_LEDGER_URL: the ledger cannot be read: ${thrown.message}`,
  );
}

/** Writes a line for each entry, and at the end what the order waits for, which support looks for first. */
function toText({ externalId, entries, waitsFor, alerts, forgotten }: OrderDescription): string {
  const lines = entries.map(({ at, what, ...details }) => {
    return [at, what.padEnd(8), ...toFacts(details)].join('  ');
  });
  const open = alerts.map(({ hook, ...details }) =>
    ['For a person:', hook, ...toFacts(details)].join('  '),
  );
  return [
    `Order ${externalId}`,
    ...lines,
    ...(forgotten === null ? [] : [`Not all is here: ${forgotten}.`]),
    ...open,
    ...(open.length === 0 ? [] : [`When you know: --not-charged DELIVERY, or --paid-by INVOICE`]),
    `Waits for: ${waitsFor}`,
  ].join('\n');
}

function toFacts(details: object): string[] {
  const told = Object.entries(details).filter(([, value]) => value !== null);
  return told.map(([name, value]) => `${name}=${String(value)}`);
}

// Answers an alert with the result of a person's inquiry: `order REF --not-charged` and `--paid-by`.

/** Reads the answer. @returns null if the call answers no alert. @throws UsageError */
export function readResolution(
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

/** Makes the question that the person has to confirm, and the likely reason if the answer then changes nothing. */
export function describeResolution(
  { deliveryId, invoiceId }: ResolvedOutcome,
  { alerts }: OrderDescription,
): { readonly question: string; readonly reason: string } {
  const alert = alerts.find((one) => one.deliveryId === deliveryId);
  const sum = alert ? ` of ${formatReais(alert.totalCents)}` : '';
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

/** Resolves the outcome as `proxy.resolveOutcome` does. @returns whether the order took the answer. @throws UsageError, ProxyError */
export async function resolveOutcome(
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

/** `pix-checkout probe`: compares a merchant's test account with what the proxy assumes, and prints the options to set. */

import { payerFields, type Payer } from '../../domain/payer.js';
import { checkToken } from '../../service/client.js';
import { parseServiceUrl } from '../../service/secure-url.js';
import { UsageError, type Command, type CommandCall } from '../command.js';
import type { Terminal } from '../terminal.js';
import { checkOption, readOption, readVariable } from '../variables.js';
import { compareAll, type FoundAssumption as Row } from './assumptions-held.js';
import { gatherEvidence, type Evidence, type ProbedService } from './gather-evidence.js';

/** A payer who does not exist, with the CPF of many test accounts and an e-mail address that RFC 2606 reserves. */
const testPayer = {
  name: 'Teste do Checkout',
  cpf_cnpj: '12345678909',
  email: 'teste@example.com',
};

/** Why nothing could be compared. */
const unreachable: Readonly<Record<string, string>> = {
  unsent: 'The service cannot be reached: no connection to PIX_SERVICE_URL',
  network: 'The service cannot be reached: the connection broke',
  timeout: 'The service cannot be reached: no answer within 10 s',
  unauthorized: 'The service refuses PIX_ACCESS_TOKEN: is it the one of this environment?',
  rate_limited: 'The service allows no more calls now (429): try again later',
};

const nothingToSet = 'There is nothing to set for your proxy.';
const noInvoice =
  'No invoice came, so nothing could be compared: is PIX_SERVICE_URL the invoice service?';

const outcomes = { as_assumed: 'ok', differs: 'DIFFERS', not_found_out: '?' } as const;

export const probeCommand: Command = {
  summary: 'Compare your account at the service with what the proxy assumes. Pays nothing.',
  options: {
    'service-url <url>': 'Default: PIX_SERVICE_URL.',
    'total-cents <cents>': 'Of the invoices. Default 100.',
    yes: 'Required. Yes, create three invoices at this account.',
    json: 'Write the result as JSON.',
  },
  more: [
    'Variables: PIX_SERVICE_URL, PIX_ACCESS_TOKEN (or PIX_ACCESS_TOKEN_FILE); for another payer than a made-up one PIX_PAYER_NAME,',
    'PIX_PAYER_CPF_CNPJ, PIX_PAYER_EMAIL, PIX_PAYER_PHONE and so on.',
    'Exit code: 0 all is as assumed, 1 something differs, 2 called wrongly, ended early, or the service cannot be asked.',
  ].join('\n'),

  async run(call, terminal) {
    const service = await readService(call, terminal);
    if (!call.flags.has('yes')) {
      const { serviceUrl, totalCents } = service;
      throw new UsageError(
        `This creates three invoices of ${totalCents} cents at ${serviceUrl}, one with a card that is none; no one has to pay them. If you want that: --yes`,
      );
    }
    const evidence = await gatherEvidence(service);
    const reason = terminal.signal.aborted
      ? 'Ended: look for orders pix-checkout-probe-… at the service'
      : unreachable[evidence.creation.error?.kind ?? ''];
    if (reason !== undefined) {
      terminal.warn(reason);
      return 2;
    }
    const rows = compareAll(evidence);
    const set = rows.flatMap((row) => row.set ?? []);
    // The names and ids of the JSON form never change.
    const json = { order: evidence.request.external_id, set, assumptions: rows };
    const isJson = call.flags.has('json');
    terminal.write(isJson ? JSON.stringify(json, null, 2) : toTable(rows, set, evidence, terminal));
    return rows.some(({ outcome }) => outcome === 'differs') ? 1 : 0;
  },
};

/** Reads the options. @throws UsageError */
async function readService(
  { values }: CommandCall,
  { env, signal }: Terminal,
): Promise<ProbedService> {
  const serviceUrl = await readOption(values['service-url'], env, 'PIX_SERVICE_URL');
  const accessToken = await readVariable(env, 'PIX_ACCESS_TOKEN');
  if (serviceUrl === undefined) throw new UsageError('PIX_SERVICE_URL is not set');
  if (accessToken === undefined) throw new UsageError('PIX_ACCESS_TOKEN is not set');
  const total = values['total-cents'] ?? '100';
  if (!/^[1-9]\d{0,5}$/.test(total)) {
    throw new UsageError('--total-cents must be whole cents, 1 to 999999');
  }
  return {
    serviceUrl: checkOption(() => parseServiceUrl('PIX_SERVICE_URL', serviceUrl)),
    accessToken: checkOption(() => checkToken('PIX_ACCESS_TOKEN', accessToken)),
    payer: await readPayer(env),
    totalCents: Number(total),
    signal,
  };
}

async function readPayer(env: Terminal['env']): Promise<Partial<Payer>> {
  const payer: Partial<Payer> = { ...testPayer };
  for (const field of payerFields) {
    const value = await readVariable(env, `PIX_PAYER_${field.toUpperCase()}`);
    if (value !== undefined) payer[field] = value;
  }
  return payer;
}

function toTable(
  rows: readonly Row[],
  settings: readonly string[],
  { request, creation }: Evidence,
  { style }: Pick<Terminal, 'style'>,
): string {
  const width = Math.max(...rows.map(({ assumed }) => assumed.length)) + 2;
  const lines = rows.map(({ outcome, assumed, found, set }) => {
    const mark = outcomes[outcome].padEnd(9);
    const shown = outcome === 'differs' ? style('red', mark) : mark;
    return `${shown}${assumed.padEnd(width)}${found}${set === undefined ? '' : ` → ${set}`}`;
  });
  return [
    `Order ${request.external_id}: nothing was paid.`,
    '',
    `${''.padEnd(9)}${style('bold', 'assumed'.padEnd(width))}${style('bold', 'found → set')}`,
    ...lines,
    '',
    settings.length > 0 ? 'Set for your proxy:' : creation.invoice ? nothingToSet : noInvoice,
    ...settings.map((setting) => `  ${setting}`),
  ].join('\n');
}

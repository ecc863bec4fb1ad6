/**
 * `npm run container`, where Docker is: the container as its document says it, from the package to a paid order. The document's own
 * commands are run, in a copy of its folder; the order is paid as a page pays it; then web and worker are ended as a deploy ends them.
 * Without Docker it fails: continuous integration runs it in a job of its own. Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { countsLine, sum } from './runner/counts.js';
import { root, runProgram } from './tools.js';
import { toCreation, toLookUp } from '../support/payer.js';

const shop = 'http://localhost:8000';
const proxy = 'http://localhost:8080/pix';
const place = mkdtempSync(join(tmpdir(), 'pix-container-'));
const cwd = join(place, 'container');

/** The commands of the document: how it is started, and how its newest invoice is paid. */
const [start = '', pay = ''] = readFileSync(join(root, 'src/cli/serve/README.md'), 'utf8')
  .replace(/^.*^## In a container$/ms, '')
  .split('```sh\n')
  .slice(1)
  .map((block) => block.replace(/^```.*$/ms, ''));

try {
  for (const room of ['container', 'shops']) {
    cpSync(join(root, 'demo', room), join(place, room), { recursive: true });
  }
  const detached = start.replace(/ \.\.\/\.\.\s.*/, ` '${root}'`).replace('--build', '--build -d');
  await run(detached);
  await payOrder();
  await run('docker compose stop web worker');
  for (const name of ['web', 'worker']) {
    const state = `docker inspect -f '{{.State.ExitCode}}' $(docker compose ps -aq ${name})`;
    assert.equal((await run(state)).trim(), '0', name);
  }
  console.log(countsLine({ ...sum([]), passed: 1 }));
} catch (error) {
  console.error(error);
  console.error((await runProgram('docker', ['compose', 'logs', '--no-color'], { cwd })).output);
  console.log(countsLine({ ...sum([]), failed: 1 }));
  process.exitCode = 1;
} finally {
  await runProgram('docker', ['compose', 'down', '--volumes'], { cwd }).catch(() => null);
  rmSync(place, { recursive: true });
}

/** As the page of the order does it: its token, a code, the payment at the bank, and the shop's thanks. */
async function payOrder(): Promise<void> {
  await until(async () => (await fetch(`${proxy}/ready`)).ok);
  const page = await until(async () => (await fetch(`${shop}/orders/1042`)).text());
  const [, token] = /order-token="([^"]+)"/.exec(page) ?? [];
  const asked = toCreation(shop, { external_id: '1042', order_token: token });
  const made = await fetch(`${proxy}/invoices`, asked);
  assert.equal(made.status, 200, await made.clone().text());
  const { data } = (await made.json()) as { data: Record<'invoice_id' | 'lookup_token', string> };
  await run(pay);
  const lookUp = toLookUp(shop, data.lookup_token);
  await until(async () => {
    const found = await fetch(`${proxy}/invoices/${data.invoice_id}`, lookUp);
    return /"status": ?"paid"/.test(await found.text());
  });
  await until(async () => (await (await fetch(`${shop}/orders/1042`)).text()).includes('Obrigado'));
}

/** Runs a command as a reader of the document types it. @throws what it printed, if it fails */
async function run(command: string): Promise<string> {
  const { code, output } = await runProgram('bash', ['-euo', 'pipefail', '-c', command], { cwd });
  assert.equal(code, 0, `${command}\n${output}`);
  return output;
}

/** Asks each second, for two minutes at most, until the answer is a yes; what cannot be reached says no. */
async function until<T>(ask: () => Promise<T>): Promise<T> {
  for (let second = 0; ; second++) {
    const answer = await ask().catch((thrown: unknown) => {
      if (second > 120) throw thrown;
      return null;
    });
    if (answer) return answer;
    if (second > 120) throw new Error(`Waited in vain: ${String(ask)}`);
    await delay(1_000);
  }
}

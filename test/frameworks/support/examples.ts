/** The examples: each is started by its one command, and an order is paid in its page. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'vitest';
import { openContext } from '../../support/browser/contexts.js';
import { askForCode, openPage, untilPhase } from '../../support/browser/payer.js';
import { whyNoProgram } from '../../tools/machine/programs.js';
import { leftOut } from './framework-cases.js';
import { layOutExample } from './install.js';
import { nodeIn, tooOld } from './own-server.js';
import { startProgram } from '../../support/program.js';
import { until } from '../../support/until.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { findPort } from '../../support/proxy/node-servers.js';

const names = ['html', 'react', 'next', 'vue', 'sveltekit', 'php'];

/** @param folderOf where the frameworks are installed */
export function describeExamples(folderOf: () => string): void {
  for (const name of names) {
    const skip = leftOut || (name === 'sveltekit' && tooOld) || whyNot(name);
    it(`the example ${name} is started by one command, and paid`, leftOutIf(skip), async (t) => {
      const example = start(folderOf(), name, {
        PORT: String(await findPort()),
        PIX_PORT: String(await findPort()),
        BANK_PORT: String(await findPort()),
      });
      t.onTestFinished(example.end);
      const { url, bank } = await example.untilReady();
      const page = await openPage(await openContext(t), { speed: 1, clock: null }, url);
      await askForCode(page);
      const [invoice] = await readInvoices(bank);
      await fetch(`${bank}invoices/${invoice?.invoice_id}/settle`, { method: 'POST' });
      if (name === 'php') {
        await untilPhase(page, 'paid');
        await until(async () => (await (await fetch(url)).text()).includes('Obrigado!'));
        await page.reload();
      }
      await page.waitForFunction(() => document.body.textContent?.includes('Obrigado!'), {
        polling: 50,
      });
      assert.equal((await readInvoices(bank)).length, 1);
      // A bundled proxy still finds the files of its package.
      if (name === 'next') {
        assert.ok(await answers(new URL('/pix/assets/pix-checkout.min.js', url).href));
      }
    });
  }
}

function whyNot(name: string): string | false {
  return name === 'php' && leftOut === false && (whyNoProgram('php') ?? false);
}

/** Runs `npm start` in an example. */
function start(folder: string, name: string, ports: Readonly<Record<string, string>>) {
  const cwd = layOutExample(folder, name);
  const quiet = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'development' };
  const PATH = `${dirname(nodeIn(folder))}:${process.env['PATH']}`;
  const example = startProgram('npm', ['start'], {
    cwd,
    detached: true,
    env: { ...process.env, ...quiet, ...ports, ...(name === 'sveltekit' && { PATH }) },
  });
  return {
    /** Waits until it says where it is, and its page answers. */
    untilReady: () =>
      example.until(async () => {
        const [, url = '', bank = ''] = /Shop: (\S+) +Bank: (\S+)/.exec(example.output()) ?? [];
        return url !== '' && (await answers(url)) && (await answers(bank)) && { url, bank };
      }),
    async end() {
      await example.end('SIGKILL');
      rmSync(join(cwd, '../..'), { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function readInvoices(bank: string): Promise<{ invoice_id: string }[]> {
  const { invoices } = (await (await fetch(`${bank}invoices`)).json()) as {
    invoices: { invoice_id: string }[];
  };
  return invoices;
}

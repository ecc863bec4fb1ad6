/**
 * The README's own code and tables: what a merchant copies from there runs, and what it names exists.
 *
 * Runs the code for servers as it stands, against the built package and the sandbox. Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSandbox, serveSandbox } from '../src/sandbox.js';
import type { SandboxServer } from '../src/sandbox.js';
import { root, runNode } from './support/tools.js';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const accessToken = 'readme-token';

/** The code block that holds this text. */
function blockWith(text: string): string {
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const found = blocks.filter((code) => code.includes(text));
  assert.equal(found.length, 1, `one block with ${text}`);
  return found[0] ?? '';
}

describe('code for servers', () => {
  let sandbox: SandboxServer;
  before(async () => {
    sandbox = await serveSandbox(createSandbox({ accessToken }));
  });
  after(() => sandbox.close());

  /** What a module with this code prints. Whatever it throws fails the test. */
  async function run(code: string, env: Record<string, string> = {}): Promise<string> {
    const { code: exitCode, output } = await runNode(['--input-type=module', '--eval', code], {
      env: { PIX_SERVICE_URL: sandbox.url, PIX_ACCESS_TOKEN: accessToken, ...env },
      timeoutMs: 20_000,
    });
    assert.equal(exitCode, 0, output);
    return output;
  }

  it('calls the service from a server of your own', async () => {
    const output = await run(`
      import { createServiceClient as toClient } from 'pix-checkout/service';
      const { PIX_SERVICE_URL: serviceUrl, PIX_ACCESS_TOKEN: accessToken } = process.env;
      const made = await toClient({ serviceUrl, accessToken }).createInvoice({
        method: 'pix', total_price_cents: 100, external_id: 'readme',
      });
      const invoiceId = made.invoice_id;
      const reviewQueue = { add: () => assert.fail() };
      ${blockWith("from 'pix-checkout/service'")}
      console.log(status);
    `);
    // The sandbox knows no refund, and says so.
    assert.match(output, /^not_found 404 undefined\npending\n$/);
  });
});

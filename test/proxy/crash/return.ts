/**
 * A paid order whose payment is returned, and a machine that dies over the postback. The merchant's code hears of the return
 * from the two others, with one `deliveryId`.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CrashPoint } from './crash-points.js';
import { settle, until } from './scenario.js';
import type { Scene } from './scenario.js';

export async function playReturn(
  { hall, sandbox, ledgerUrl, serviceUrl }: Scene,
  diesAt: CrashPoint,
): Promise<void> {
  const externalId = `order-${randomUUID().slice(0, 8)}`;
  const at = { ledgerUrl, serviceUrl };
  const others = [await hall.start(at), await hall.start(at)];
  const [first = assert.fail()] = others;
  const created = await first.create({ externalId, method: 'pix', key: randomUUID() });
  const invoiceId = created.data?.invoice_id ?? assert.fail(created.outcome);
  await settle(sandbox, invoiceId);
  const heard = (hook: string) =>
    others
      .flatMap(({ told }) => told)
      .filter((one) => one.hook === hook && one.notice.externalId === externalId);
  await until(first, async () => heard('onPaid').length > 0);

  const dead = await hall.start({ ...at, diesAt, hears: diesAt === 'inside onReturned' });
  await setStatus(sandbox, invoiceId, 'refunded');
  const { request } =
    sandbox.invoices().find((one) => one.invoiceId === invoiceId) ?? assert.fail();
  // It may die before it answers.
  const answer = dead
    .postback(request.postback_url ?? '', { id: invoiceId })
    .catch(() => undefined);
  await Promise.race([answer, dead.ended]);
  assert.equal(await dead.ended, 'SIGKILL');
  for (const machine of others) {
    await until(machine, async () => {
      return heard('onReturned').length > 0 && (await machine.countUndelivered()) === 0;
    });
  }
  const told = [...heard('onReturned'), ...dead.told.filter(({ hook }) => hook === 'onReturned')];
  const ids = new Set(told.map(({ notice }) => notice['deliveryId']));
  assert.deepEqual([...ids], [`returned~${externalId}~${invoiceId}~refunded`]);
  assert.equal(
    (await first.create({ externalId, method: 'pix', key: randomUUID() })).outcome,
    '409 order_paid',
  );
  for (const machine of others) await machine.close();
}

async function setStatus(
  sandbox: Scene['sandbox'],
  invoiceId: string,
  status: string,
): Promise<void> {
  const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/status`;
  const answer = await sandbox.fetch(url, { method: 'POST', body: JSON.stringify({ status }) });
  assert.equal(answer.status, 200);
}

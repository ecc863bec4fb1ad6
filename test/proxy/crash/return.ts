/**
 * A paid order whose payment is returned, and a machine that dies over the postback. The merchant's code hears of the return
 * from two others that start then, with one `deliveryId`. Until it dies it is alone: another one might hear of the return first.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CrashPoint } from './crash-points.js';
import { settle, untilLater } from './scenario.js';
import type { Machine } from '../machines/machines.js';
import type { Scene } from './scenario.js';

export async function playReturn(
  { hall, sandbox, ledgerUrl, serviceUrl }: Scene,
  diesAt: CrashPoint,
): Promise<void> {
  const externalId = `order-${randomUUID().slice(0, 8)}`;
  const at = { ledgerUrl, serviceUrl };
  const first = await hall.start(at);
  const created = await first.create({ externalId, method: 'pix', key: randomUUID() });
  const invoiceId = created.data?.invoice_id ?? assert.fail(created.outcome);
  await settle(sandbox, invoiceId);
  const heard = (hook: string, machines: readonly Machine[]) =>
    machines
      .flatMap(({ told }) => told)
      .filter((one) => one.hook === hook && one.notice.externalId === externalId);
  await untilLater(first, async () => heard('onPaid', [first]).length > 0);
  await first.close();
  await first.ended;

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
  const others = [await hall.start(at), await hall.start(at)];
  for (const machine of others) {
    await untilLater(machine, async () => {
      return heard('onReturned', others).length > 0 && (await machine.countUndelivered()) === 0;
    });
  }
  const told = heard('onReturned', [...others, dead]);
  const ids = new Set(told.map(({ notice }) => notice['deliveryId']));
  assert.deepEqual([...ids], [`returned~${externalId}~${invoiceId}~refunded`]);
  assert.equal(
    (await others[0]!.create({ externalId, method: 'pix', key: randomUUID() })).outcome,
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

/**
 * `kill -9` at eight points of a payment: no second charge, no payment that the merchant does not hear of, and no outcome
 * that is unknown called refused. What must hold after every crash stands in `scenario.ts`; here is what the page is
 * told.
 *
 * The tests of one store; each store's are a file of their own, for they take a while.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createSandbox, serveSandbox } from '../../../src/sandbox.js';
import type { SandboxServer } from '../../../src/sandbox.js';
import { openMachineHall } from '../machines/machines.js';
import type { MachineHall, PaymentRequest } from '../machines/machines.js';
import { accessToken } from '../machines/shop-facts.js';
import { chosenCases } from '../../tools/runs.js';
import type { TestStore } from '../../support/proxy/stores.js';
import { crashPoints, returnPoints } from './crash-points.js';
import type { CrashPoint, PaymentPoint } from './crash-points.js';
import { playReturn } from './return.js';
import { playCrash } from './scenario.js';
import { playStandstill, standstills } from './standstill.js';
import type { Story } from './scenario.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

/** Where a store keeps more than before, or less than it must: elsewhere all stores fare alike. */
const tellingPoints: readonly CrashPoint[] = ['sent', 'stored', 'paid stored', 'return stored'];

const lost = { first: 'lost', atOnce: '409 in_progress' };
const answered = { first: '200', atOnce: '200' };

/** Nothing was sent: the same request goes through once the claim has run out, and charges. */
const isUnsent: Story = { ...lost, later: ['200', '200', '409 order_paid'] };
/** The page was told that it never came, and so it never comes: another key pays. */
const isBarred: Story = {
  ...lost,
  atOnce: '404 not_found',
  later: ['422 key_reused', '404 not_found', '200'],
};
/** It may have charged; that is not known: neither the same key nor another one pays the order. */
const isUnknown: Story = {
  ...lost,
  later: ['502 outcome_unknown', '502 outcome_unknown', '409 in_progress'],
};
const isCharged: Story = { ...answered, later: ['200', '200', '409 order_paid'] };
/** A code that was not seen does no harm: there is one, whichever of them it is. */
const isPixAgain: Story = { ...lost, later: ['200', '200', '200'] };
const isPixPaid: Story = { ...answered, later: ['409 order_paid', '200', '409 order_paid'] };

const stories: Readonly<Record<PaymentRequest['method'], Record<PaymentPoint, Story>>> = {
  credit_card: {
    'before claim': isBarred,
    claimed: isUnsent,
    sent: isUnknown,
    'answer read': isUnknown,
    stored: { ...isCharged, first: 'lost' },
    answered: isCharged,
    'paid stored': isCharged,
    'inside onPaid': isCharged,
  },
  pix: {
    'before claim': isBarred,
    claimed: isPixAgain,
    sent: isPixAgain,
    'answer read': isPixAgain,
    // The code is there, and no one is waited for.
    stored: { ...isPixAgain, atOnce: '200' },
    answered: { ...isPixAgain, ...answered },
    'paid stored': isPixPaid,
    'inside onPaid': isPixPaid,
  },
};

/** Declares the tests. @param isLikeAnother a few points will do without `CI=true` */
export function describeCrashes(store: TestStore, isLikeAnother = false): void {
  const isTelling = (point: CrashPoint) => !isLikeAnother || tellingPoints.includes(point);
  const points = chosenCases(crashPoints, isTelling);
  describe(
    `a machine that dies, with ${store.name}`,
    { concurrent: true, ...leftOutIf(store.whyNot) },
    () => {
      const sandbox = createSandbox({ accessToken });
      let service: SandboxServer;
      let hall: MachineHall;
      beforeAll(async () => {
        await store.open();
        service = await serveSandbox(sandbox);
        hall = await openMachineHall();
      });
      afterAll(async () => {
        await hall.close();
        await service.close();
        await store.close();
      });

      for (const method of ['credit_card', 'pix'] as const) {
        for (const point of points) {
          it(`${method}, ${point}`, async () => {
            const ledgerUrl = await store.createUrl();
            const scene = { hall, sandbox, serviceUrl: service.url, ledgerUrl };
            assert.deepEqual(await playCrash(scene, point, method), stories[method][point]);
          });
        }
      }

      for (const point of chosenCases(standstills, isTelling)) {
        it(`stands still ${point}: nothing leaves after a not_found`, async () => {
          const ledgerUrl = await store.createUrl();
          await playStandstill({ hall, sandbox, serviceUrl: service.url, ledgerUrl }, point);
        });
      }

      for (const point of chosenCases(returnPoints, isTelling)) {
        it(`a return, ${point}: told of all the same, with one deliveryId`, async () => {
          const ledgerUrl = await store.createUrl();
          await playReturn({ hall, sandbox, serviceUrl: service.url, ledgerUrl }, point);
        });
      }

      const toldLater = ['sent', 'answer read'] as const;
      for (const point of toldLater.filter((one) => points.includes(one))) {
        it(`pix, ${point}: the page is told when to ask again, and then has a code`, async () => {
          const at = { serviceUrl: service.url, ledgerUrl: await store.createUrl() };
          const payment = { externalId: 'order-1', method: 'pix', key: randomUUID() } as const;
          const dead = await hall.start({ ...at, diesAt: point });
          assert.equal((await dead.create(payment)).outcome, 'lost');
          const machine = await hall.start(at);
          let answer = await machine.create(payment);
          // A test that was slow to start the second machine finds the order free at once.
          if (answer.outcome !== '200') {
            assert.equal(answer.outcome, '503 service_unavailable');
            const seconds = answer.retryAfterSeconds ?? Infinity;
            assert.ok(seconds <= 5, `${seconds}`);
            await machine.putClockForward(seconds * 1_000);
            answer = await machine.create(payment);
          }
          assert.equal(answer.outcome, '200');
          await machine.close();
        });
      }
    },
  );
}

/**
 * One click for each state of the checkout: the options, then steps of payer, bank and sandbox.
 */

import { setFaults, setStatus } from './api.js';
import { cardScenarios } from './card-scenarios.js';
import { requestInvoice } from './direct-request.js';
import { ageRecord, newestInvoiceId, pay, pressCopy, startUntil, untilPhase } from './stage.js';
import type { Scenario, Stage } from './stage.js';

/** Most creations that the proxy sends for one order and hour. */
const sendsPerHour = 10;

/** No payer fields; the element waits for `start()`. */
const silent = { 'payer-fields': '' };

/** No payer fields; the element creates at once. */
const auto = { ...silent, 'auto-start': 'on' };

/** All Pix scenarios, in the order of a payment. */
const pixScenarios: readonly Scenario[] = [
  { id: 'form', label: 'Form', phase: 'form' },
  {
    id: 'form-address',
    label: 'Form with address',
    phase: 'form',
    options: { 'payer-fields': 'name cpf_cnpj email phone? address' },
  },
  {
    id: 'form-faults',
    label: 'Form with faults',
    phase: 'form',
    steps: async ({ checkout }) => checkout.start(),
  },
  {
    id: 'creating',
    label: 'Creating, slowly',
    phase: 'creating',
    options: { ...silent, proxy: 'slow' },
    async steps(stage) {
      stage.checkout.start();
      await untilPhase(stage, 'creating');
    },
  },
  { id: 'awaiting', label: 'Awaiting', phase: 'awaiting', options: auto, steps: untilAwaiting },
  {
    id: 'copy-failed',
    label: 'Copying fails',
    phase: 'awaiting',
    options: { ...auto, 'deny-clipboard': 'on' },
    async steps(stage) {
      await untilAwaiting(stage);
      await stage.checkout.updateComplete;
      pressCopy(stage);
    },
  },
  {
    id: 'deadline',
    label: 'Near the deadline',
    phase: 'awaiting',
    options: { ...auto, 'expires-in': '95' },
    steps: untilAwaiting,
  },
  {
    id: 'checking',
    label: 'Checking',
    phase: 'awaiting',
    options: { ...auto, hold: 'off' },
    async steps(stage) {
      await untilAwaiting(stage);
      await stage.choose({ proxy: 'slow' });
      stage.checkout.refresh();
    },
  },
  {
    id: 'not-yet',
    label: 'Checked: not yet',
    phase: 'awaiting',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      stage.checkout.refresh();
    },
  },
  {
    id: 'old-code',
    label: 'After three minutes',
    phase: 'awaiting',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      await ageRecord(stage, 200_000);
      await untilAwaiting(stage);
    },
  },
  {
    id: 'unknown-status',
    label: 'Unknown status',
    phase: 'awaiting',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      await setStatus(await newestInvoiceId(stage), 'em_analise');
    },
  },
  {
    id: 'unverified',
    label: 'Code not verified',
    phase: 'awaiting',
    options: { invoice: 'broken', 'allow-unverified-code': 'on' },
    // Breaks the code in look-ups too: the page shows no code that the proxy does not confirm.
    faults: [{ on: 'look_up', kind: 'bad_crc' }],
    steps: untilAwaiting,
  },
  {
    id: 'proxy-lost',
    label: 'Line lost while awaiting',
    phase: 'awaiting',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      await stage.choose({ proxy: 'down' });
    },
  },
  {
    id: 'expired',
    label: 'Expired',
    phase: 'expired',
    options: { ...auto, 'expires-in': '3' },
    steps: (stage) => untilPhase(stage, 'expired'),
  },
  {
    id: 'late',
    label: 'Paid after expiry',
    phase: 'paid',
    options: { ...auto, 'expires-in': '2' },
    async steps(stage) {
      await untilPhase(stage, 'expired');
      await pay(stage);
      await untilPhase(stage, 'paid');
    },
  },
  {
    id: 'paid',
    label: 'Paid',
    phase: 'paid',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      await pay(stage);
      await untilPhase(stage, 'paid');
    },
  },
  {
    id: 'confirming',
    label: 'Confirming: paid, wrong total',
    phase: 'confirming',
    options: auto,
    async steps(stage) {
      await untilAwaiting(stage);
      await setFaults([{ on: 'look_up', kind: 'wrong_total' }]);
      await pay(stage);
      await untilPhase(stage, 'confirming');
    },
  },
  {
    id: 'amount-mismatch',
    label: 'Failed: other amount',
    phase: 'failed',
    options: { ...silent, 'page-total': '100' },
    steps: (stage) => startUntil(stage, 'failed'),
  },
  {
    id: 'order-closed',
    label: 'Failed: order closed',
    phase: 'failed',
    options: { ...silent, 'order-status': 'closed' },
    steps: (stage) => startUntil(stage, 'failed'),
  },
  {
    id: 'invalid-code',
    label: 'Failed: invalid code',
    phase: 'failed',
    options: { invoice: 'broken' },
    steps: (stage) => untilPhase(stage, 'failed'),
  },
  {
    id: 'unsupported',
    label: 'Failed: no such method',
    phase: 'failed',
    options: { methods: 'boleto' },
    steps: (stage) => untilPhase(stage, 'failed'),
  },
  {
    id: 'proxy-down',
    label: 'Refused: proxy down',
    phase: 'form',
    options: { ...silent, proxy: 'down' },
    steps: (stage) => startUntil(stage, 'form'),
  },
  {
    id: 'answer-lost',
    label: 'Answer lost: ask again for its code',
    phase: 'form',
    options: { ...silent, proxy: 'lossy' },
    async steps(stage) {
      await startUntil(stage, 'form');
      await stage.choose({ proxy: 'up' });
    },
  },
  {
    id: 'service-slow',
    label: 'Slow service',
    phase: 'creating',
    options: silent,
    faults: [{ on: 'create', kind: 'delay', ms: 8_000 }],
    async steps(stage) {
      stage.checkout.start();
      await untilPhase(stage, 'creating');
    },
  },
  {
    id: 'service-down',
    label: 'Refused: service down',
    phase: 'form',
    options: silent,
    async steps(stage) {
      await setFaults([{ on: 'create', kind: 'server_error' }]);
      await startUntil(stage, 'form');
    },
  },
  {
    id: 'too-many',
    label: 'Refused: too many requests',
    phase: 'form',
    options: silent,
    async steps(stage) {
      await setFaults([{ on: 'create', kind: 'server_error', times: sendsPerHour }]);
      for (let sent = 0; sent < sendsPerHour; sent += 1) {
        await requestInvoice(stage.order).catch(() => undefined);
      }
      await startUntil(stage, 'form');
    },
  },
];

/** The scenarios as the panel shows them. */
export const scenarioGroups = { Pix: pixScenarios, Cards: cardScenarios };

/** All scenarios. */
export const scenarios: readonly Scenario[] = Object.values(scenarioGroups).flat();

function untilAwaiting(stage: Stage): Promise<void> {
  return untilPhase(stage, 'awaiting');
}

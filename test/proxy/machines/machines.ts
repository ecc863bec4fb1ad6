/**
 * Starts machines and speaks with them: as a page does over HTTP, as the service does with postbacks, and as time does.
 *
 * Owns the children's lives: none outlives the test. Knows not what is tested.
 */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, request as send } from 'undici';
import type { LogEntry } from '../../../src/proxy.js';
import { bundleProgram } from '../../support/program.js';
import { shopOrigin } from './shop-facts.js';
import type { MachineOptions, Order, Report, Told } from './words.js';
import { toCreation, toLookUp } from '../../support/payer.js';

/** As many requests are under way to one machine at a time. */
const connectionsToOne = 50;

/** What a page asks a machine for. */
export interface PaymentRequest {
  readonly externalId: string;
  readonly key: string;
  readonly method: 'pix' | 'credit_card';
  /** Of a card. Default: one that is approved at once. */
  readonly token?: string;
}

/** An answer as a page reads it. */
export interface Answer {
  /** `200`, or `409 in_progress`; `lost` where the machine died over it. */
  readonly outcome: string;
  /** Of `Retry-After`; null: there was none. */
  readonly retryAfterSeconds: number | null;
  /** `data` of a success, or of `order_paid`; null: none. */
  readonly data: {
    readonly invoice_id: string;
    readonly lookup_token: string;
    readonly qr_code_pix: string;
    readonly status: string;
  } | null;
}

/** A running process. */
export type Machine = Awaited<ReturnType<typeof startMachine>>;

/** A place to start machines from. */
export type MachineHall = Awaited<ReturnType<typeof openMachineHall>>;

/** Builds the machine's program once. */
export async function openMachineHall() {
  const program = await bundleProgram('test/proxy/machines/machine.ts');
  const running = new Set<Machine>();

  return {
    async start(
      options: Partial<MachineOptions> & Pick<MachineOptions, 'ledgerUrl' | 'serviceUrl'>,
    ) {
      const machine = await startMachine(program, {
        diesAt: null,
        standsStill: false,
        hears: true,
        ...options,
      });
      running.add(machine);
      void machine.ended.then(() => running.delete(machine));
      return machine;
    },
    /** Kills whatever still runs. */
    async close() {
      await Promise.all([...running].map((machine) => machine.kill()));
      rmSync(program, { force: true });
    },
  };
}

interface SentRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

async function startMachine(program: string, options: MachineOptions) {
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const told: Told[] = [];
  const log: LogEntry[] = [];
  const waiting = new Map<number, (count: number | undefined) => void>();
  let lastId = 0;
  let setPort: (port: number) => void = () => {};
  const ready = new Promise<number>((resolve) => (setPort = resolve));
  const ended = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);

  child.on('message', (report: Report) => {
    switch (report.type) {
      case 'ready':
        return setPort(report.port);
      case 'done':
        waiting.get(report.id)?.(report.undelivered);
        return waiting.delete(report.id);
      case 'log':
        return log.push(report.entry);
      case 'told':
        return told.push(report);
      default:
        return report satisfies never;
    }
  });

  const died = ended.then((): never => assert.fail('a machine ended before it listened'));
  const base = `http://127.0.0.1:${await Promise.race([ready, died])}/pay`;
  void died.catch(() => undefined);
  const dispatcher = new Agent({ connections: connectionsToOne });
  void ended.then(() => dispatcher.destroy());

  return {
    /** What the merchant's code heard here, oldest first. */
    told,
    log,
    /** The signal it died by; null: it ended by itself. */
    ended,
    /** `POST /invoices`. */
    create({ externalId, key, method, token = 'tok_approve' }: PaymentRequest) {
      const card = method === 'credit_card' && { card: { token } };
      const body = { method, external_id: externalId, ...card };
      return request('/invoices', toCreation(shopOrigin, body, { 'idempotency-key': key }));
    },
    /** `GET /invoices` with the key. */
    ask: ({ externalId, key }: Pick<PaymentRequest, 'externalId' | 'key'>) =>
      request(`/invoices?external_id=${externalId}`, {
        headers: { origin: shopOrigin, 'idempotency-key': key },
      }),
    /** Whether it was stopped: it goes on when it is told to. */
    standsStill: async () =>
      /^State:\s*T/m.test(await readFile(`/proc/${child.pid}/status`, 'utf8')),
    goOn: () => void child.kill('SIGCONT'),
    /** `GET /invoices/{id}`. */
    lookUp: ({ invoice_id, lookup_token }: NonNullable<Answer['data']>, query: string = '') =>
      request(`/invoices/${invoice_id}${query}`, toLookUp(shopOrigin, lookup_token)),
    /** The service's notice. @param url as the service was given it */
    async postback(url: string, body: object = {}) {
      const path = url.slice(url.indexOf('/postbacks/'));
      const response = await send(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        dispatcher,
      });
      await response.body.dump();
      return response.statusCode;
    },
    async putClockForward(byMs: number) {
      await obey((id) => ({ type: 'put_clock_forward', id, byMs }));
    },
    /** Deliveries that are not through. */
    async countUndelivered() {
      const count = await obey((id) => ({ type: 'count_undelivered', id }));
      return count ?? assert.fail('a machine does not count');
    },
    /** `kill -9`. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    /** Ends as after a SIGTERM: what was begun is finished. */
    async close() {
      child.send({ type: 'close' } satisfies Order);
      await ended;
    },
  };

  async function request(path: string, init: SentRequest): Promise<Answer> {
    try {
      const response = await send(`${base}${path}`, { ...init, dispatcher });
      const { statusCode } = response;
      const { data = null, code } = (await response.body.json()) as Partial<Answer> & {
        code?: string;
      };
      const seconds = response.headers['retry-after'];
      const retryAfterSeconds = seconds === undefined ? null : Number(seconds);
      const outcome = code === undefined ? String(statusCode) : `${statusCode} ${code}`;
      return { outcome, retryAfterSeconds, data };
    } catch {
      return { outcome: 'lost', retryAfterSeconds: null, data: null };
    }
  }

  function obey(toOrder: (id: number) => Order): Promise<number | undefined> {
    const id = (lastId += 1);
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error('a machine ended over an order')));
      child.send(toOrder(id));
    });
  }
}

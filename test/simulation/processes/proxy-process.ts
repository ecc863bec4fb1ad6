/**
 * A process that runs the proxy, from its start until it is killed or stopped. What it asked of others goes on without
 * it; what it waited for never comes.
 */

import { createProxy } from '../../../src/proxy.js';
import { findInternals } from '../../../src/proxy/door/request.js';
import type { LazyRequest } from '../../../src/proxy/door/request.js';
import { publicUrl, secrets, serviceUrl, shopOrigin } from '../../support/proxy/shop.js';
import { accessToken } from '../people/canaries.js';
import { createMerchantCode } from '../people/merchant.js';
import type { Order } from '../people/merchant.js';
import { createServiceLine } from '../network/service-line.js';
import type { Service } from '../network/service.js';
import type { Store } from '../network/store.js';
import type { World } from '../world.js';

/** Terms that differ from one history to the next. */
export interface Terms {
  readonly holdSeconds: number;
  readonly serviceCallsPerMinute: number;
  /** Default: the proxy's. */
  readonly serviceTimeoutMs?: number;
}

/** A process. */
export type ProxyProcess = ReturnType<typeof startProcess>;

/** Starts a process. @param skewMs its clock is ahead by this */
export function startProcess(
  world: World,
  parts: { service: Service; store: Store; orders: ReadonlyMap<string, Order>; terms: Terms },
  number: number,
  skewMs: number,
) {
  const { timeline, chance, watch } = world;
  const { service, store, orders, terms } = parts;
  const { serviceCallsPerMinute, ...others } = terms;
  let timers = 0;
  let isStopping = false;
  let mourners: (() => void)[] = [];
  const life = {
    isAlive: true,
    frozenUntilMs: 0,
    number,
    isClosed: false,
    serviceCallsPerMinute,
    startTimer,
  };

  const proxy = createProxy({
    serviceUrl,
    accessToken,
    secrets,
    publicUrl,
    allowedOrigins: [shopOrigin],
    rawCard: true,
    verifyHuman: () => true,
    ...others,
    ...(serviceCallsPerMinute === Infinity ? {} : { serviceCallsPerMinute }),
    ledger: store.openFor(life),
    ...createMerchantCode(world, orders, kill),
    fetch: createServiceLine(world, service, life),
    now: () => timeline.now() + skewMs,
    randomUuid: chance.uuid,
    startTimer,
    log: (entry) => {
      if (life.isAlive) watch.logged(entry);
    },
  });
  // The handler without a Request and a Response, which cost more than all the rest of a step.
  const internals = findInternals(proxy.fetch);
  internals?.startListening();
  if (!internals) throw new Error('the handler behind fetch is gone');

  return {
    number,
    proxy,
    kill,
    /** It stands still for so long, and knows nothing of it. */
    freeze(forMs: number) {
      world.note(`process ${number}: frozen for ${forMs}`);
      life.frozenUntilMs = timeline.now() + forMs;
    },
    /** It takes requests: not once it is being stopped. */
    get isOpen() {
      return life.isAlive && !isStopping;
    },
    get isAlive() {
      return life.isAlive && !life.isClosed;
    },
    /** Runs in the process, in an event of its own. */
    soon: (run: () => void) => void timeline.after(0, life, run),
    answer: (asked: LazyRequest, remoteAddress: string) =>
      internals.handle(asked, { remoteAddress }),
    /** Stops it in good order. */
    async stop() {
      if (isStopping) return;
      isStopping = true;
      world.note(`process ${number}: stops`);
      await proxy.close();
      if (!life.isAlive) return;
      watch.closed(number, timers);
      life.isClosed = true;
      end();
    },
    /** Called once it is gone. */
    whenGone: (run: () => void) => void mourners.push(run),
  };

  function startTimer(run: () => void, delayMs: number): () => void {
    if (life.isClosed) watch.fail('end', `process ${number} sets a timer after it closed`);
    let isSet = true;
    timers += 1;
    const end = () => {
      if (isSet) timers -= 1;
      isSet = false;
    };
    const stop = timeline.after(delayMs, life, () => {
      end();
      run();
    });
    return () => {
      end();
      stop();
    };
  }

  function kill(): void {
    if (!life.isAlive) return;
    world.note(`process ${number}: killed`);
    life.isAlive = false;
    end();
  }

  function end(): void {
    const gone = mourners;
    mourners = [];
    for (const run of gone) run();
  }
}

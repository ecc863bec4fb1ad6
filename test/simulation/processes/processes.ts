/** The processes of a history: started, killed at any moment, stopped in good order, and started again. */

import type { Order } from '../people/merchant.js';
import { startProcess } from './proxy-process.js';
import type { ProxyProcess, Terms } from './proxy-process.js';
import type { Service } from '../network/service.js';
import type { Store } from '../network/store.js';
import type { World } from '../world.js';

/** What processes work with. */
export interface ProcessParts {
  readonly service: Service;
  readonly store: Store;
  readonly orders: ReadonlyMap<string, Order>;
  readonly terms: Terms;
}

/** The processes. */
export type Processes = ReturnType<typeof startProcesses>;

/** Starts as many processes, which share everything but their memory. */
export function startProcesses(world: World, parts: ProcessParts, most: number) {
  const { timeline, chance, conditions, watch } = world;
  const running: (ProxyProcess | null)[] = Array.from({ length: most }, () => null);
  let isCalm = false;
  let isClosing = false;
  let started = 0;
  startMissing();

  return {
    /** Those that run now. */
    alive: () => running.filter(isRunning),
    /** None ends any more, and all run. */
    calmDown() {
      isCalm = true;
      startMissing();
    },
    /** Stops them all in good order. */
    close() {
      isClosing = true;
      return Promise.all(
        running.filter(isRunning).map(
          (process) =>
            new Promise<void>((resolve) => {
              process.soon(() => void process.stop().then(resolve));
            }),
        ),
      );
    },
  };

  function startMissing(): void {
    for (let slot = 0; slot < most; slot += 1) if (!isRunning(running[slot] ?? null)) start(slot);
  }

  function start(slot: number): void {
    started += 1;
    world.note(`process ${started}: starts`);
    const skewMs = chance.happens(0.2) ? chance.between(-900, 900) : 0;
    const process = startProcess(world, parts, started, skewMs);
    running[slot] = process;
    process.whenGone(() => {
      const downMs = chance.between(100, Math.max(200, conditions().longestDownMs));
      timeline.after(downMs, null, () => {
        if (!isClosing && running[slot] === process) start(slot);
      });
    });
    const { crashEveryMs, freezeEveryMs } = conditions();
    if (freezeEveryMs < Infinity) {
      const freeze = () => {
        if (!isCalm && process.isAlive) process.freeze(chance.between(500, 90_000));
      };
      timeline.after(chance.between(1, 2 * freezeEveryMs), null, freeze);
    }
    if (crashEveryMs < Infinity)
      timeline.after(chance.between(1, 2 * crashEveryMs), null, () => end(process));
  }

  function end(process: ProxyProcess): void {
    if (isCalm || !process.isOpen) return;
    watch.count('processes ended');
    if (chance.happens(0.2)) process.soon(() => void process.stop());
    else process.kill();
  }
}

function isRunning(process: ProxyProcess | null): process is ProxyProcess {
  return process?.isOpen === true;
}

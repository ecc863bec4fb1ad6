/** Processes come and go while others are signalled: none is missed, and one that is gone is no error. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signalDescendants } from './processes.js';

/** No process has this number: it is above the highest that Linux and macOS give. */
const gonePid = 2 ** 30;

/** Children of process 1 that the system lists, one list after the other; the last one again and again. */
function signalListed(...lists: readonly (readonly number[])[]): number[] {
  const signalled: number[] = [];
  let listed = 0;
  signalDescendants(1, 'SIGSTOP', {
    list() {
      listed += 1;
      const pids = lists[listed - 1] ?? lists.at(-1) ?? [];
      return pids.map((pid) => ({ pid, parentPid: 1 }));
    },
    kill(pid) {
      if (pid === gonePid) process.kill(pid, 0);
      signalled.push(pid);
    },
  });
  return signalled;
}

describe('signalling a process’s descendants', () => {
  it('goes on after one that ended since it was listed', () => {
    assert.deepEqual(signalListed([2, gonePid, 3]), [2, 3]);
  });

  it('reaches one that was started after the others were listed, and each once', () => {
    assert.deepEqual(signalListed([2], [2, 3], [3]), [2, 3]);
  });

  it('reaches children of children, and no other process', () => {
    const signalled: number[] = [];
    signalDescendants(1, 'SIGCONT', {
      list: () => [
        { pid: 3, parentPid: 2 },
        { pid: 2, parentPid: 1 },
        { pid: 5, parentPid: 4 },
      ],
      kill: (pid) => void signalled.push(pid),
    });
    assert.deepEqual(signalled, [2, 3]);
  });

  it('passes on any other error', () => {
    const list = () => [{ pid: 2, parentPid: 1 }];
    const error = new Error('kill EPERM');
    const kill = () => {
      throw error;
    };
    assert.throws(() => signalDescendants(1, 'SIGCONT', { list, kill }), error);
  });
});

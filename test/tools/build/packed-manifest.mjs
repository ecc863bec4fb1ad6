/**
 * npm's `prepack`: takes `prepare` out of package.json while npm packs, for npm warns of it as of an install script. `postpack`
 * puts it back; where npm is killed before that, a process that outlives it does.
 *
 * JavaScript, and without dependencies, as prepare.mjs.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../../package.json', import.meta.url));
const [, script, npm] = process.argv;

if (npm === undefined) takeOut();
else await putBack(Number(npm));

function takeOut() {
  const whole = readFileSync(file, 'utf8');
  const guard = spawn(process.execPath, [script, String(findNpm())], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  writeFileSync(file, withoutPrepare(whole));
  guard.stdin.end(whole);
  guard.unref();
}

/** @param npm its process: when it has ended, package.json is whole again */
async function putBack(npm) {
  let whole = '';
  for await (const text of process.stdin) whole += text;
  while (isRunning(npm)) await new Promise((resolve) => setTimeout(resolve, 50));
  // Anything else is `postpack`'s work, or a person's.
  if (readFileSync(file, 'utf8') === withoutPrepare(whole)) writeFileSync(file, whole);
}

function withoutPrepare(text) {
  const manifest = JSON.parse(text);
  delete manifest.scripts.prepare;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** npm starts a script by a shell, which some systems replace by the script. */
function findNpm() {
  if (process.platform === 'win32') return process.ppid;
  const read = (field, pid) =>
    execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
  return /npm/.test(read('args', process.ppid).slice(0, 8))
    ? process.ppid
    : Number(read('ppid', process.ppid));
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

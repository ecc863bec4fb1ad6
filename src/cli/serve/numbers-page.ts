/** Serves the numbers for Prometheus on a port of its own, if one is set. It opens before the proxy and closes after it. */

import { serveMetrics } from '../../node.js';
import type { MetricsSink } from '../../proxy.js';
import type { ExitCode } from '../command.js';
import type { Terminal } from '../terminal.js';
import type { ServeSettings } from './serve-variables.js';

/** @param run gets what the proxy is to tell; undefined: no page is wanted */
export async function withNumbersPage(
  { metricsPort: port, metricsHost: host }: ServeSettings,
  terminal: Terminal,
  run: (metrics?: MetricsSink) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (port === undefined) return run();
  const opening = serveMetrics({ port, host });
  const page = await opening.catch(({ code, message }: NodeJS.ErrnoException) => {
    terminal.warn(`It cannot show numbers on ${host}, port ${port}: ${code ?? message}`);
    return null;
  });
  if (!page) return 1;
  try {
    terminal.write(`Numbers for Prometheus: ${page.url}`);
    return await run(page.metrics);
  } finally {
    await page.close();
  }
}

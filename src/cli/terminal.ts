/** The process around a command: its lines, its environment, and the signal that ends it. */

import { env, stderr, stdout } from 'node:process';
import { styleText } from 'node:util';

/** What a command may use of its process. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the result to stdout. */
  readonly write: (line: string) => void;
  /** Writes a line that is no result to stderr. */
  readonly warn: (line: string) => void;
  /** Colours a text, where a person reads it. */
  readonly style: (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;
  /** Aborted by Ctrl-C and by `SIGTERM`: what runs ends by itself. */
  readonly signal: AbortSignal;
}

/** The real one. */
export function openTerminal(): Terminal {
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  const isColoured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    env,
    write: (line) => void stdout.write(`${line}\n`),
    warn: (line) => void stderr.write(`${line}\n`),
    style: (format, text) => (isColoured ? styleText(format, text) : text),
    signal: ending.signal,
  };
}

/** Resolves when the command is told to end. */
export function untilEnded(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

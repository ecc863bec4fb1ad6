/** The process around a command: its output, its environment, and the signal that ends it. */

import { once } from 'node:events';
import { env, stderr, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the result to stdout. */
  readonly write: (line: string) => void;
  /** Writes a line to stderr that is not part of the result. */
  readonly warn: (line: string) => void;
  /** Asks the person at the terminal, and waits for a line. Resolves with null if the terminal is not interactive. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Adds a style to a text if the output is a terminal. */
  readonly style: (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;
  /** Aborts on Ctrl-C and on `SIGTERM`. The command then ends by itself. */
  readonly signal: AbortSignal;
}

export function openTerminal(): Terminal {
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  const isColoured = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    env,
    write: (line) => void stdout.write(`${line}\n`),
    warn: (line) => void stderr.write(`${line}\n`),
    ask: (question) => (stdin.isTTY && stdout.isTTY ? askPerson(question) : noPerson),
    style: (format, text) => (isColoured ? styleText(format, text) : text),
    signal: ending.signal,
  };
}

const noPerson = Promise.resolve(null);

async function askPerson(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Formats an amount with a plain space, because `toLocaleString` writes a no-break space. */
export function formatReais(cents: number): string {
  const text = (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  return text.replace(/\s/, ' ');
}

export async function waitForEnd(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Prints a line for each request, each call of the shop, and each warning, without tokens, codes and personal data. */

import type { LogEntry, PixProxy } from '../../proxy.js';
import { parseObject, toObject } from '../json-object.js';
import { formatReais, type Terminal } from '../terminal.js';

export interface TrafficLines {
  readonly watchRequests: (answer: PixProxy['fetch']) => PixProxy['fetch'];
  /** Watches calls of the merchant's server. */
  readonly watchCalls: (call: typeof fetch) => typeof fetch;
  readonly log: (entry: LogEntry) => void;
}

export function createTrafficLines(terminal: Pick<Terminal, 'write' | 'style'>): TrafficLines {
  const { write, style } = terminal;
  return {
    watchRequests: (answer) => async (request, info) => {
      const { method, url } = request;
      const show = startLine(`${method} ${toPath(url)}`);
      const sent = readJson(method === 'POST' ? request.clone() : new Response());
      const response = await answer(request, info);
      const { external_id, method: asked } = await sent;
      const { data: given, code, detail } = await readJson(response.clone());
      const data = toObject(given) ?? {};
      const { total_cents: cents } = data;
      const total = typeof cents === 'number' && formatReais(cents);
      write(show(response.status, [external_id, asked, data['status'], total, code, detail]));
      return response;
    },

    watchCalls: (call) => async (input, init) => {
      const show = startLine(`→ POST ${toPath(input instanceof Request ? input.url : input)}`);
      const body = parseObject(typeof init?.body === 'string' ? init.body : '') ?? {};
      const data = toObject(body['data']) ?? {};
      const about = [body['type'], body['external_id'] ?? data['external_id']];
      try {
        const response = await call(input, init);
        write(style('dim', show(response.status, about)));
        return response;
      } catch (thrown) {
        write(style('dim', show(null, [...about, 'not reached'])));
        throw thrown;
      }
    },

    log(entry) {
      // `serve --sandbox` runs without a ledger on purpose, so this warning is left out.
      if (entry.event === 'ledger_missing') return;
      const { level, event, ...rest } = entry;
      const words = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      const colour = level === 'error' ? 'red' : 'yellow';
      write(`${toTime()}  ${style(colour, `${level} ${event}`)}  ${words.join(' ')}`);
    },
  };

  /** Begins a line, and measures the time. @returns the function that makes the whole line */
  function startLine(what: string) {
    const sinceMs = performance.now();
    return (status: number | null, about: readonly unknown[]) => {
      const isGood = status !== null && status < 400;
      const code = style(isGood ? 'green' : 'red', String(status ?? '---'));
      const took = String(Math.round(performance.now() - sinceMs)).padStart(6);
      const words = about.filter((one) => typeof one === 'string' && one !== '').map(toPrintable);
      return `${toTime()}  ${what.padEnd(34)} ${code} ${took} ms  ${words.join(' ')}`;
    };
  }
}

/** Drops control characters, because a page may send any text, and a terminal would execute them. */
function toPrintable(text: unknown): string {
  return String(text).replaceAll(/\p{C}/gu, '').slice(0, 64);
}

/** Shortens ids and references, and drops the query except for `wait`. */
function toPath(url: string | URL): string {
  const { pathname, searchParams } = new URL(url);
  const path = pathname
    .replace(/[0-9a-f-]{32}([0-9a-f]{4})\b/, '…$1')
    .replace(/(\/postbacks\/).+/, '$1…');
  const wait = searchParams.get('wait');
  return wait === null ? path : `${path}?wait=${wait}`;
}

async function readJson(message: Request | Response): Promise<Readonly<Record<string, unknown>>> {
  return parseObject(await message.text().catch(() => '')) ?? {};
}

function toTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

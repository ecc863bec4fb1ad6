/**
 * As much of Prometheus as the rules of demo/operations need: it reads the page of numbers every fifteen seconds of a test's
 * clock, and evaluates `sum(increase(a{b="c"}[5m])) / sum(rate(d[5m])) > 0.5`. Knows no extrapolation, and no number of ours.
 */
import assert from 'node:assert/strict';

/** One line of the page. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A rule of alerts.yaml. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly forMs: number;
  readonly summary: string;
}

interface Scrape {
  readonly atMs: number;
  readonly byName: ReadonlyMap<string, readonly Sample[]>;
}

export function readAlerts(yaml: string): Alert[] {
  return yaml
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => {
      const field = (name: string) => new RegExp(`^ +${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
      const [name = ''] = text.split('\n');
      const forMs = field('for') === '' ? 0 : toMs(field('for'));
      return { name, expr: field('expr'), forMs, summary: field('summary') };
    });
}

export function readSamples(page: string): Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return { name, labels: toLabels(labels), value: Number(value) };
    });
}

export function createPrometheus(now: () => number, readPage: () => Promise<string>) {
  const scrapes: Scrape[] = [];
  const known = new Map<string, boolean>();
  return {
    async scrape() {
      const byName = new Map<string, Sample[]>();
      // No rule asks for them, and they are most of the page.
      const page = (await readPage()).replaceAll(/^\w+_bucket\{.*\n/gm, '');
      for (const sample of readSamples(page)) {
        byName.set(sample.name, [...(byName.get(sample.name) ?? []), sample]);
      }
      scrapes.push({ atMs: now(), byName });
    },
    /** Whether the rule's condition held at each scrape of its time. */
    isFiring({ expr, forMs }: Alert): boolean {
      const endMs = scrapes.at(-1)!.atMs;
      if (scrapes[0]!.atMs > endMs - forMs) return false;
      const asked = scrapes.filter(({ atMs }) => atMs >= endMs - forMs);
      return asked.every(({ atMs }) => held(expr, atMs));
    },
  };

  /** The past stays as it was. */
  function held(expr: string, atMs: number): boolean {
    const key = `${atMs} ${expr}`;
    const is = known.get(key) ?? holds(expr, atMs);
    known.set(key, is);
    return is;
  }

  function holds(expr: string, atMs: number): boolean {
    const [, absent] = /^absent\((\w+)\)$/.exec(expr) ?? [];
    if (absent !== undefined) {
      return !scrapes.some((one) => one.atMs === atMs && one.byName.has(absent));
    }
    const [, left = '', limit] = /^(.+) > ([\d.]+)$/.exec(expr) ?? assert.fail(expr);
    const [value, divisor = 1] = left.split(' / ').map((term) => evaluate(term, atMs));
    return value! / divisor > Number(limit);
  }

  function evaluate(term: string, atMs: number): number {
    const [, of, , over, selector = '', window] =
      /^(sum|max)\(((increase|rate)\()?(\w+(?:\{[^}]*\})?)(?:\[(\w+)\]\))?\)$/.exec(term) ??
      assert.fail(term);
    const [, name, matchers = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(selector)!;
    const windowMs = window === undefined ? 0 : toMs(window);
    const values = new Map<string, number[]>();
    for (const { byName } of scrapes.filter((s) => s.atMs >= atMs - windowMs && s.atMs <= atMs)) {
      for (const { labels, value } of byName.get(name!) ?? []) {
        if (!isMatch(matchers, labels)) continue;
        const series = JSON.stringify(labels);
        values.set(series, [...(values.get(series) ?? []), value]);
      }
    }
    const each = [...values.values()].map((list) =>
      over === undefined ? list.at(-1)! : list.at(-1)! - list[0]!,
    );
    const total = of === 'max' ? Math.max(...each) : each.reduce((sum, one) => sum + one, 0);
    return over === 'rate' ? total / (windowMs / 1_000) : total;
  }
}

/** The names of the series that an expression asks for. */
export function namesOf(expr: string): string[] {
  return [...expr.matchAll(/\bpix_\w+/g)].map(([name]) => name);
}

function isMatch(matchers: string, labels: Readonly<Record<string, string>>): boolean {
  return [...matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)].every(([, label = '', how, text = '']) =>
    how === '=' ? labels[label] === text : new RegExp(`^(${text})$`).test(labels[label] ?? ''),
  );
}

function toLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

function toMs(duration: string): number {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? assert.fail(duration);
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit]!;
}

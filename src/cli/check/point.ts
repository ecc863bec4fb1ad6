/**
 * What a point of the contract is, as data: one request, and what a careful proxy answers. Texts in braces stand for values of
 * the run: `{order}`, `{order_token}`, `{invoice_id}`, `{lookup_token}`, `{key}`. A point whose value is not known is not checked.
 */
import type { ErrorCode } from '../../contract/codes.js';

/** Where a point belongs, in the order of the report. */
export const groups = {
  refusals: { title: 'Refusals', read: 'src/contract/README.md#create' },
  creation: { title: 'Creation', read: 'src/contract/README.md#create' },
  'order-token': { title: 'Order token', read: 'src/proxy/tokens/README.md' },
  'look-up': { title: 'Look-up', read: 'src/contract/README.md#look-up' },
  pages: { title: 'Pages', read: 'src/contract/README.md#every-answer' },
  recovery: { title: 'Recovery', read: 'src/contract/README.md#recover' },
  cards: { title: 'Cards', read: 'src/contract/README.md#cards' },
  answers: { title: 'Every answer', read: 'src/contract/README.md#every-answer' },
} as const;

/** One of them. */
export type Group = keyof typeof groups;

/** Values of a run by name. */
export type Values = Readonly<Record<string, string | number>>;

/** A request; what is left out is as an element sends it. Null in a header leaves it out. */
export interface PointRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Merged over the body of a creation; null leaves a field out. A string is the whole body. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** So many of them at once, each with a key of its own. They must get the same invoice. */
  readonly times?: number;
  /** The body begins and never ends. */
  readonly stalls?: boolean;
}

/** What has to come of it. */
export interface Expectation {
  /** One of them. */
  readonly status: number | readonly number[];
  /** One of them. */
  readonly code?: ErrorCode | readonly ErrorCode[];
  /** Fields of `data`, exactly. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Fields of `data` that must be others. */
  readonly differs?: Readonly<Record<string, unknown>>;
  /** No other field may stand in `data`. */
  readonly only?: readonly string[];
  /** The code of `data` can be paid, with the amount of `data`. */
  readonly isPayable?: boolean;
  /** Headers; null: it must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** What every point has. */
export interface PointText {
  /** Stays the same, for machines. */
  readonly id: string;
  readonly group: Group;
  readonly name: string;
  readonly why: string;
}

/** One point of the contract that needs no hold of the service. */
export interface Point extends PointText {
  readonly request: PointRequest;
  readonly expect: Expectation;
  /** Values that have to be known, beside those in braces. */
  readonly needs?: readonly string[];
  /** Statuses by which a proxy says that it does without, and what that means. */
  readonly without?: Readonly<Record<number, string>>;
  /** Names what the points that follow need of the answer: its invoice, or that a key is answered `not_found`. */
  readonly keeps?: 'invoice' | 'card_invoice' | 'barred_key';
}

/** Puts values in the place of their names, at any depth. A text that is nothing but a name becomes the value itself. */
export function fill<T>(template: T, values: Values): T;
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole];
    return template.replaceAll(/\{(\w+)\}/g, (text, name: string) => String(values[name] ?? text));
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, one]) => [name, fill(one, values)]),
  );
}

/** Names of the values that a point cannot do without. */
export function namesIn({ request, expect, needs = [] }: Omit<Point, keyof PointText>): string[] {
  const texts = JSON.stringify([request, expect]).matchAll(/\{(\w+)\}/g);
  return [...[...texts].map(([, name]) => name ?? ''), ...needs];
}

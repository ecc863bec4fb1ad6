/**
 * What a point of the contract is, as data: one request, and what a careful proxy answers. Texts in braces stand for values of
 * the run: `{order}`, `{order_token}`, `{invoice_id}`, `{lookup_token}`, `{key}`. A point whose value is not known is not checked.
 */
import type { ErrorCode } from '../../contract/codes.js';

/** How bad it is if a point fails, worst first, and the exit code of a run whose worst failure is such. */
export const severities = {
  money: { title: 'LOSES MONEY', exitCode: 5 },
  leak: { title: 'LEAKS', exitCode: 4 },
  breaks: { title: 'BREAKS', exitCode: 3 },
  better: { title: 'COULD BE BETTER', exitCode: 1 },
} as const;

/** One of them. */
export type Severity = keyof typeof severities;

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

/** A request. Fields that are left out here are sent as the element sends them. */
export interface PointRequest {
  readonly method: string;
  readonly path: string;
  /** Set over the element's headers; null: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Merged over the body of a creation; null: the field is not sent. A string is the whole body. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** The body is that of a form. */
  readonly isForm?: boolean;
  /**
   * Sends the request so many times at once, each with its own key. All that are answered with an invoice must be answered
   * with the same one; others may be told to come again, as long as one is answered.
   */
  readonly times?: number;
  /** Sends the beginning of a body, and never its end. */
  readonly stalls?: boolean;
  /** Sends the beginning of a body, and its end once this other request is answered. */
  readonly heldFor?: PointRequest;
  /** Sends the request while this other one, which may wait, is on its way. It must not wait with it. */
  readonly during?: PointRequest;
}

/** The answer that a point demands. */
export interface Expectation {
  /** The HTTP status, or a list of those that are right. */
  readonly status: number | readonly number[];
  /** The code of an error, or a list of those that are right. */
  readonly code?: ErrorCode | readonly ErrorCode[];
  /** Fields that the `data` of a success must hold, with these values. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Fields of `data` that must have other values than these. */
  readonly differs?: Readonly<Record<string, unknown>>;
  /** The only fields that `data` may hold. */
  readonly only?: readonly string[];
  /** Headers of the answer; null: the answer must not have this one. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** What every point has. */
export interface PointText {
  /** The name for programs that read the result. It never changes. */
  readonly id: string;
  readonly group: Group;
  readonly severity: Severity;
  readonly name: string;
  readonly why: string;
}

/** What came of a point. */
export interface PointResult extends PointText {
  readonly outcome: 'passed' | 'failed' | 'not_checked';
  /** Of a failure. */
  readonly expected?: string;
  /** Of a failure; of what was not checked: the reason. */
  readonly came?: string;
  /** What a web server in front does, where that is no fault of the proxy. */
  readonly note?: string;
  /** Where to read, below the package. */
  readonly read: string;
}

/** What is kept of an answer: `values.ts` says which values these are. */
export type KeptValues =
  | 'invoice'
  | 'usual_time'
  | 'second_invoice'
  | 'second_order'
  | 'card_invoice'
  | 'failed_card'
  | 'barred_key';

/** One point of the contract. It is checked by requests to the proxy alone; the service is left as it is. */
export interface Point extends PointText {
  readonly request: PointRequest;
  readonly expect: Expectation;
  /** Names of further values without which the point cannot be checked, beside those in braces. */
  readonly needs?: readonly string[];
  /** Statuses and codes by which a proxy says that it lacks something optional, and what is not checked then. */
  readonly without?: Readonly<Record<string, string>>;
  /** Which values of the answer later points need. */
  readonly keeps?: KeptValues;
  /** No page asks for this: a web server in front may refuse it by itself, in words of its own. */
  readonly isUnasked?: boolean;
  /** How bad it is if the request is taken, where that is worse than a refusal in the wrong words. */
  readonly whenTaken?: Severity;
}

/**
 * Replaces names in braces by their values, at any depth.
 *
 *     fill({ path: '/invoices/{invoice_id}', cents: '{wrong_total}' }, { invoice_id: 'a1', wrong_total: 101 })
 *     // { path: '/invoices/a1', cents: 101 }: a text that is only a name becomes the value itself
 */
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

/** Names of the values without which a point cannot be checked. */
export function namesIn({ request, expect, needs = [] }: Omit<Point, keyof PointText>): string[] {
  const texts = JSON.stringify([request, expect]).matchAll(/\{(\w+)\}/g);
  return [...[...texts].map(([, name]) => name ?? ''), ...needs];
}

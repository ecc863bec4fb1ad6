/**
 * The form of a point of the contract, as data: requests, and what a careful proxy answers. Texts in braces stand for values
 * of the run: `{order}`, `{order_token}`, `{invoice_id}`, `{key}`. A request that needs an unknown value is not sent.
 */
import type { ErrorCode } from '../../contract/codes.js';

/** How bad the failure of a point is, worst first, and the exit code of a run whose worst failure has this severity. */
export const severities = {
  money: { title: 'LOSES MONEY', exitCode: 5 },
  leak: { title: 'LEAKS', exitCode: 4 },
  breaks: { title: 'BREAKS', exitCode: 3 },
} as const;

export type Severity = keyof typeof severities;

/** The groups of points, in the order of the report. */
export const groups = {
  creation: { title: 'Creation', read: 'src/contract/README.md#create' },
  refusals: { title: 'Refusals', read: 'src/contract/README.md#create' },
  'order-token': { title: 'Order token', read: 'src/proxy/door/tokens/README.md' },
  'look-up': { title: 'Look-up', read: 'src/contract/README.md#look-up' },
  pages: { title: 'Pages', read: 'src/contract/README.md#every-answer' },
  recovery: { title: 'Recovery', read: 'src/contract/README.md#recover' },
  cards: { title: 'Cards', read: 'src/contract/README.md#cards' },
  sandbox: { title: 'Sandbox', read: 'src/contract/README.md#paid' },
  answers: { title: 'Every answer', read: 'src/contract/README.md#every-answer' },
} as const;

export type Group = keyof typeof groups;

export type Values = Readonly<Record<string, string | number>>;

/** A request. Omitted fields are sent as the element sends them. */
export interface PointRequest {
  readonly method: string;
  readonly path: string;
  /** Replace the element's headers; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Replaces fields of the creation; null removes one. A string is the whole body. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** Sends the request this many times at once. All answers with an invoice must name the same one. */
  readonly times?: number;
  /** Sends the beginning of the body, and its end only after this other request is answered. */
  readonly heldFor?: PointRequest;
  /** Sends the request while this other one waits. It must be answered before the other. */
  readonly during?: PointRequest;
}

/** The answer that a point requires. Without `data` any refusal is right. */
export interface Expectation {
  /** Fields of the invoice, with these values. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Fields that must have other values than these. */
  readonly differs?: Readonly<Record<string, unknown>>;
  /** The point also passes if the proxy refuses with one of these codes. */
  readonly codes?: readonly ErrorCode[];
  /** The point fails if the proxy refuses with one of these codes, because they would promise something false. */
  readonly never?: readonly ErrorCode[];
  /** Whether the point also passes if the proxy refuses with any code. */
  readonly mayRefuse?: boolean;
  /** Headers that the preflight must allow to the shop's page. */
  readonly allows?: readonly string[];
  /** Whether the page is a stranger's, which must not be allowed to read. */
  readonly isUnread?: boolean;
  /** Whether any answer is right, because the point compares several. */
  readonly isAnything?: boolean;
  /** Statuses and codes of a proxy that lacks something optional, and why the point is not checked then. */
  readonly without?: Readonly<Record<string, string>>;
}

/** A call of the sandbox's control surface. */
interface SandboxCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A request of a point, and the answer that it demands. */
export interface Ask extends PointRequest {
  readonly expect: Expectation;
  /** Names of values that it needs beside those in braces. */
  readonly needs?: readonly string[];
  /** The values of the answer that later points need. */
  readonly keeps?: KeptValues;
  /** Calls of the sandbox before the request, and after it. */
  readonly before?: readonly SandboxCall[];
  readonly after?: readonly SandboxCall[];
}

export interface PointText {
  /** The name in the JSON result. It never changes. */
  readonly id: string;
  readonly group: Group;
  readonly severity: Severity;
  readonly name: string;
  readonly why: string;
  /** What the merchant should do about it. */
  readonly change: string;
}

export interface PointResult extends PointText {
  readonly outcome: 'passed' | 'failed' | 'not_checked';
  /** The answer that a failed point demands. */
  readonly expected?: string;
  /** The answer that a failed point got, or why it was not checked. */
  readonly came?: string;
  /** Whether a point was not checked although it lacks nothing optional. */
  readonly isOpen?: true;
  /** Where the merchant can read more, as a path in the package. */
  readonly read: string;
}

/** Sets of values that are kept from an answer. `values.ts` lists them. */
export type KeptValues =
  | 'invoice'
  | 'usual_time'
  | 'second_invoice'
  | 'second_order'
  | 'card_invoice'
  | 'failed_card'
  | 'barred_key';

export interface Point extends PointText {
  readonly asks: readonly Ask[];
  /** Ids of points that would fail for the same reason, so that this one is skipped. */
  readonly unless?: readonly string[];
  /**
   * Whether the point also fails without an answer, or with an answer that does not follow the contract. Other points leave
   * that to `reached`.
   */
  readonly isStrict?: boolean;
  /** Whether the point takes long, and runs beside the others. */
  readonly isSlow?: boolean;
  /** Whether the point runs after all slow points. */
  readonly isLate?: boolean;
  /** Compares the answers to all of its requests. */
  readonly compare?: (
    came: readonly { status: number; data: Readonly<Record<string, unknown>> | undefined }[],
  ) => string | null;
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

/** Finds the first value that a request needs and that is unknown. */
export function findMissing({ needs = [], ...ask }: Ask, values: Values): string | undefined {
  const named = [...JSON.stringify(ask).matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return [...needs, ...named].find((name) => !(name in values));
}

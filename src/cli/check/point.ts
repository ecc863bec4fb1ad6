/**
 * What a point of the contract is, as data: requests, and what a careful proxy answers. Texts in braces stand for values of
 * the run: `{order}`, `{order_token}`, `{invoice_id}`, `{key}`. What needs a value that is not known is not asked.
 */
import type { ErrorCode } from '../../contract/codes.js';

/** How bad it is if a point fails, worst first, and the exit code of a run whose worst failure is such. */
export const severities = {
  money: { title: 'LOSES MONEY', exitCode: 5 },
  leak: { title: 'LEAKS', exitCode: 4 },
  breaks: { title: 'BREAKS', exitCode: 3 },
} as const;

export type Severity = keyof typeof severities;

/** Where a point belongs, in the order of the report. */
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
  /** Sends the request so many times at once. All that are answered with an invoice must be answered with the same one. */
  readonly times?: number;
  /** Sends the beginning of a body, and its end once this other request is answered. */
  readonly heldFor?: PointRequest;
  /** Sends the request while this other one, which may wait, is on its way. It must not wait with it. */
  readonly during?: PointRequest;
}

/** The answer that a point demands. Without `data`: any by which nothing is given. */
export interface Expectation {
  /** Fields of the invoice that is given, with these values. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Fields that must have other values than these. */
  readonly differs?: Readonly<Record<string, unknown>>;
  /** Codes of a refusal that is as good as an invoice, or by which the page knows what to do. */
  readonly codes?: readonly ErrorCode[];
  /** Codes that would be a promise which is not kept. */
  readonly never?: readonly ErrorCode[];
  /** Any refusal is as good as an invoice with that data. */
  readonly mayRefuse?: boolean;
  /** Headers of requests that a preflight allows to the shop's page. */
  readonly allows?: readonly string[];
  /** The page is a stranger's: it must not be allowed to read. */
  readonly isUnread?: boolean;
  /** Says nothing of the answer alone: the point compares it. */
  readonly isAnything?: boolean;
  /** Statuses and codes by which a proxy says that it lacks something optional, and what is not checked then. */
  readonly without?: Readonly<Record<string, string>>;
}

/** What the sandbox is told. */
interface SandboxCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** One request of a point, and its answer. */
export interface Ask extends PointRequest {
  readonly expect: Expectation;
  /** Names of further values without which it cannot be asked, beside those in braces. */
  readonly needs?: readonly string[];
  /** Which values of the answer later points need. */
  readonly keeps?: KeptValues;
  /** What the sandbox is told before, and after. */
  readonly before?: readonly SandboxCall[];
  readonly after?: readonly SandboxCall[];
}

/** What every point has. */
export interface PointText {
  /** The name for programs that read the result. It never changes. */
  readonly id: string;
  readonly group: Group;
  readonly severity: Severity;
  readonly name: string;
  readonly why: string;
  /** What to do about it. */
  readonly change: string;
}

/** What came of a point. */
export interface PointResult extends PointText {
  readonly outcome: 'passed' | 'failed' | 'not_checked';
  /** Of a failure. */
  readonly expected?: string;
  /** Of a failure; of what was not checked: the reason. */
  readonly came?: string;
  /** It was not checked, though it lacks nothing that may lack: the run says too little. */
  readonly isOpen?: true;
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

/** One point of the contract. */
export interface Point extends PointText {
  readonly asks: readonly Ask[];
  /** Ids of points whose failure this one would only repeat. */
  readonly unless?: readonly string[];
  /** It also fails without an answer, or by one in other words than the contract's: other points leave that to `reached`. */
  readonly isStrict?: boolean;
  /** It takes its time, and runs beside the others. */
  readonly isSlow?: boolean;
  /** It comes when all that is slow is over. */
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

/** The first value that is not known, and without which this cannot be asked. */
export function findMissing({ needs = [], ...ask }: Ask, values: Values): string | undefined {
  const named = [...JSON.stringify(ask).matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return [...needs, ...named].find((name) => !(name in values));
}

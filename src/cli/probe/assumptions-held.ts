/**
 * The list of assumptions about the service, each with a function that compares it with the evidence. The results repeat only
 * statuses, amounts, words and names of fields.
 */

import { readCode, toMediaType, formatNames } from '../check/words.js';
import type { Call, Evidence } from './gather-evidence.js';

interface Finding {
  readonly outcome: 'as_assumed' | 'differs' | 'not_found_out';
  readonly found: string;
  /** The variable to set, with its value. */
  readonly set?: string | undefined;
}

interface Assumption {
  readonly assumed: string;
  readonly find: (evidence: Evidence) => Finding;
}

/** A row of the table. */
export type FoundAssumption = Finding & { readonly id: string; readonly assumed: string };

const toAsAssumed = (found: string, set?: string): Finding => ({
  outcome: 'as_assumed',
  found,
  set,
});
const toDiffering = (found: string, set?: string): Finding => ({ outcome: 'differs', found, set });
const toNotFoundOut = (found: string): Finding => ({ outcome: 'not_found_out', found });

/** Runs a comparison only if there is an invoice. */
function requireInvoice(find: (evidence: Evidence) => Finding): Assumption['find'] {
  return (evidence) => (evidence.creation.invoice ? find(evidence) : toNotFoundOut('no invoice'));
}

/** Finds the look-up that found the invoice. */
function findFoundCall({ byInvoiceId, byOrderCode }: Evidence) {
  return [byInvoiceId, byOrderCode].find((call) => call?.invoice) ?? null;
}

/** Runs a comparison only if a look-up found the invoice. */
function requireLookUp(
  find: (lookUp: Call<object>, evidence: Evidence) => Finding,
): Assumption['find'] {
  return requireInvoice((evidence) => {
    const lookUp = findFoundCall(evidence);
    return lookUp ? find(lookUp, evidence) : toNotFoundOut('no look-up');
  });
}

/** The fields that `data` has in the specification. */
const specified = {
  creation: ['external_id', 'invoice_id', 'order_code', 'qr_code_pix', 'status', 'total_cents'],
  lookUp:
    `client created_at updated_at end_to_end_id external_id installments invoice_id is_pix items order_code payer
    qr_code_pix status total_cents`.split(/\s+/),
};

/** ISO 8601, or the form in which databases write a time. */
const momentForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?( ?[+-]\d\d:?\d\d|Z)?$/;
const orderCodeForm = /^[\w.:#/-]{1,64}$/;
const wordForm = /^(?!.*\d{3})[\w-]{1,40}$/;

/** The comparisons by their ids in the JSON result, which never change, in the order of the table. */
const compared: Readonly<Record<string, Assumption>> = {
  creation: {
    assumed: 'A creation is answered with an invoice',
    find: ({ creation }) =>
      creation.error ? toDiffering(describeCall(creation)) : toAsAssumed('an invoice'),
  },
  address: {
    assumed: 'The service is where PIX_SERVICE_URL says',
    find: ({ creation }) =>
      creation.error?.kind === 'redirect'
        ? toDiffering(describeCall(creation), 'PIX_SERVICE_URL=<where it redirects to>')
        : toAsAssumed('no redirection'),
  },
  method: {
    assumed: 'The method is called pix',
    find: requireInvoice(({ form: { method } }) =>
      method === 'pix'
        ? toAsAssumed(method)
        : toDiffering(method, `PIX_METHOD_NAMES=pix=${method}`),
    ),
  },
  format: {
    assumed: 'cpf_cnpj and phone are written without a mask',
    find: requireInvoice(({ form, request }) => {
      if (form.format === 'bare') return toAsAssumed('bare');
      const fields = ['cpf_cnpj', 'phone'].filter((name) => name in (request.payer ?? {}));
      return toDiffering(
        'masked',
        `PIX_FORMATS=${fields.map((name) => `${name}=masked`).join(' ')}`,
      );
    }),
  },
  reference: {
    assumed: 'The same external_id twice makes two invoices',
    find: requireInvoice(({ creation, again }) => {
      if (!again?.invoice) return toFindingWithoutInvoice(again);
      const isSame = again.invoice.invoice_id === creation.invoice?.invoice_id;
      return isSame ? toDiffering('the same invoice: no code can be replaced') : toAsAssumed('two');
    }),
  },

  refusal: {
    assumed: 'A look-up calls a refused card refused, too',
    find: requireInvoice(({ card, cardAfterwards }) => {
      const word = readStatus(card);
      if (card?.status === 402) return toAsAssumed('402, no invoice');
      if (!card?.invoice) return toNotFoundOut(card ? describeCall(card) : 'not asked');
      if (['paid', 'pending'].includes(word))
        return toNotFoundOut(`the test card was not refused: ${word}`);
      if (!cardAfterwards?.invoice) return toNotFoundOut('no look-up');
      const after = readStatus(cardAfterwards);
      return after === 'pending'
        ? toDiffering(`${word}, then ${after}`, 'PIX_REFUSAL_IS_FINAL=false')
        : toAsAssumed(`${word}, then ${after}`);
    }),
  },

  'look-up-id': {
    assumed: 'A look-up takes invoice_id',
    find: requireInvoice(({ creation: { invoice }, byInvoiceId, byOrderCode }) => {
      const isFound = (call: Call<{ invoice_id: string }> | null) =>
        call?.invoice?.invoice_id === invoice?.invoice_id;
      const both = isFound(byOrderCode) ? 'invoice_id and order_code' : 'invoice_id';
      if (isFound(byInvoiceId)) return toAsAssumed(both);
      if (isFound(byOrderCode)) return toDiffering('order_code', 'PIX_LOOK_UP_BY=order_code');
      return toFindingWithoutInvoice(byInvoiceId);
    }),
  },
  agreement: {
    assumed: 'Reference, total and method come back as they were sent',
    find: requireLookUp(({ data }, { creation, request }) => {
      const sent = { external_id: request.external_id, total_cents: request.total_price_cents };
      const wrong = Object.entries(sent).flatMap(([name, value]) =>
        [creation.data, data].some((one) => one[name] !== value) ? [name] : [],
      );
      // The proxy accepts an answer without is_pix, and refuses a contradiction.
      const isCard = data['is_pix'] === false ? ['is_pix'] : [];
      const all = [...wrong, ...isCard];
      return all.length > 0 ? toDiffering(`others: ${all.join(', ')}`) : toAsAssumed('the same');
    }),
  },
  status: {
    assumed: 'A new invoice is pending, or any word but paid',
    find: requireLookUp(({ data }, { creation }) => {
      const found = [creation.data['status'], data['status']].map(String);
      if (found.includes('paid')) return toDiffering('paid, though nothing was paid');
      const words = [...new Set(found)].map((one) => (wordForm.test(one) ? one : 'no single word'));
      return (words.includes('no single word') ? toDiffering : toAsAssumed)(words.join(', '));
    }),
  },
  times: {
    assumed: 'Times are ISO 8601',
    find: requireLookUp(({ data }) => {
      const names = ['created_at', 'updated_at'];
      const wrong = names.filter((name) => !momentForm.test(String(data[name])));
      return wrong.length > 0
        ? toDiffering(`other forms, left out: ${wrong.join(', ')}`)
        : toAsAssumed('ISO 8601');
    }),
  },
  'order-code': {
    assumed: 'order_code is one word of at most 64 letters',
    find: requireInvoice(({ creation: { invoice } }) =>
      orderCodeForm.test(invoice?.order_code ?? '')
        ? toAsAssumed('one word')
        : toDiffering('another form, left out'),
    ),
  },
  'unknown-id': {
    assumed: 'An unknown id is answered with 404',
    find: requireInvoice(({ byUnknownId }) => findRefusal(byUnknownId, 'not_found')),
  },
  'wrong-token': {
    assumed: 'A wrong access token is answered with 401',
    find: requireLookUp((_, { withWrongToken }) => findRefusal(withWrongToken, 'unauthorized')),
  },

  'creation-fields': {
    assumed: 'A creation brings the fields of the specification',
    find: requireInvoice(({ creation: { data } }) => compareFields(data, specified.creation)),
  },
  'look-up-fields': {
    assumed: 'A look-up brings the fields of the specification',
    find: requireLookUp(({ data }) => compareFields(data, specified.lookUp)),
  },
  'content-type': {
    assumed: 'Answers are application/json',
    find: ({ creation: { headers } }) => {
      const type = toMediaType(headers) ?? (headers.has('content-type') ? 'another type' : 'none');
      return (type === 'application/json' ? toAsAssumed : toDiffering)(type);
    },
  },
  code: {
    assumed: 'The Pix code is one that banks take',
    find: requireInvoice(({ creation: { invoice }, request }) => {
      const code = invoice?.qr_code_pix ?? '';
      const { kind = '', wrong, fault } = readCode(code, request.total_price_cents);
      if (code === '') return toDiffering('none');
      if (fault) return toDiffering(`a placeholder (${fault})`, 'PIX_ALLOW_UNVERIFIED_CODES=true');
      return wrong ? toDiffering(`one ${wrong}`) : toAsAssumed(kind);
    }),
  },
  'rate-limit': {
    assumed: 'Any number of calls is allowed',
    find: ({ creation: { headers } }) => {
      const perMinute = readCallsPerMinute(headers);
      if (perMinute === null) return toAsAssumed('no header names a limit');
      return toDiffering(`${perMinute} a minute`, `PIX_SERVICE_CALLS_PER_MINUTE=${perMinute}`);
    },
  },
  sandbox: {
    assumed: 'Money moves: this is not our sandbox',
    find: ({ creation: { headers } }) =>
      headers.has('x-pix-sandbox')
        ? toAsAssumed('the sandbox', 'PIX_ALLOW_SANDBOX=true')
        : toAsAssumed('no mark of the sandbox'),
  },
};

const notAsked = {
  postback: 'A postback names the invoice in id (PIX_POSTBACK_INVOICE_FIELD)',
  card: 'Cards: PIX_METHOD_NAMES, PIX_FORMATS, PIX_STATUSES, PIX_CARD_LOOK_UP_TOTAL',
  idempotency: 'Idempotency-Key is ignored (PIX_FORWARD_IDEMPOTENCY_KEY)',
};

/** Makes the table: each assumption with its finding, and at the end the assumptions that no call can prove. */
export function compareAll(evidence: Evidence): readonly FoundAssumption[] {
  const asked = Object.entries(compared);
  const left = Object.entries(notAsked);
  return [
    ...asked.map(([id, { assumed, find }]) => ({ id, assumed, ...find(evidence) })),
    ...left.map(([id, assumed]) => ({ id, assumed, ...toNotFoundOut('ask your service') })),
  ];
}

/** Reads the status of an answer. @returns `no single word` for text that may be a person's name */
function readStatus(call: Call<object> | null): string {
  const { status = '' } = call?.data ?? {};
  const word = (typeof status === 'string' ? status : '').trim().toLowerCase();
  return wordForm.test(word) ? word : 'no single word';
}

/** Finds out whether the service refused a call as assumed. */
function findRefusal(call: Call<object> | null, kind: string): Finding {
  return call?.error?.kind === kind
    ? toAsAssumed(String(call.status))
    : toFindingWithoutInvoice(call);
}

/** Describes the finding when a call had another outcome. A failure of the network says nothing about the service. */
function toFindingWithoutInvoice(call: Call<object> | null): Finding {
  const kind = call?.error?.kind ?? '';
  const isOfTheWay = ['rate_limited', 'timeout', 'network', 'unsent'].includes(kind);
  return call && !isOfTheWay
    ? toDiffering(describeCall(call))
    : toNotFoundOut(call ? describeCall(call) : 'not asked');
}

/** Describes the outcome of a call in a few words. */
function describeCall({ status, error, invoice }: Call<object>): string {
  if (invoice) return `${status} with an invoice`;
  const what = { invalid_answer: 'not readable', refused_request: 'refused' };
  const { kind = '', field } = error ?? {};
  const said = Object.hasOwn(what, kind)
    ? what[kind as keyof typeof what]
    : kind.replaceAll('_', ' ');
  return [status, said, field && `(${formatNames(field.split('.'))})`].filter(Boolean).join(' ');
}

/** Compares the names of fields with the specification. */
function compareFields(data: Readonly<Record<string, unknown>>, names: readonly string[]): Finding {
  const missing = names.filter((name) => !(name in data));
  const empty = names.filter((name) => data[name] === null);
  const more = Object.keys(data).filter((name) => !names.includes(name));
  const parts = Object.entries({ missing, null: empty, 'unknown, dropped': more }).flatMap(
    ([what, found]) => (found.length > 0 ? [`${what}: ${formatNames(found)}`] : []),
  );
  const found = parts.join('; ') || 'all of them';
  return missing.length > 0 ? toDiffering(found) : toAsAssumed(found);
}

/**
 * Reads the rate limit from the headers of the IETF's drafts, or of the older form. A limit without a window is per minute.
 */
function readCallsPerMinute(headers: Headers): number | null {
  const policy = headers.get('ratelimit-policy');
  const limit = ['ratelimit-limit', 'x-ratelimit-limit', 'x-rate-limit-limit']
    .map((name) => headers.get(name))
    .find((value) => value !== null);
  const text = policy ?? limit ?? '';
  const calls = Number(/(?:\bq=|^)(\d{1,7})\b/.exec(text)?.[1]);
  const seconds = Number(/\bw=(\d{1,6})\b/.exec(policy ?? text)?.[1] ?? 60);
  return calls > 0 && seconds > 0 ? Math.max(1, Math.floor((calls * 60) / seconds)) : null;
}

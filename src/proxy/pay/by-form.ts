/**
 * Paying with scripts off, where orders are public: a form asks for what the element would ask for, and the answer is the
 * code that the server drew. Only its POST creates something: previews of links ask by GET.
 */

import type { Messages } from '../../checkout/locales/messages.js';
import { checkPayerField, parseAskedFields } from '../../domain/payer.js';
import type { AskedField, PayerField } from '../../domain/payer.js';
import type { CreatedInvoice } from '../../contract/types.js';
import type { PaymentPageSettings } from '../config/payment-page-option.js';
import type { Create } from '../operations/create.js';
import { parseCreateRequest } from '../operations/create.js';
import { readTrace } from '../../service/call.js';
import type { LookUpInvoice } from '../operations/look-up.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { ToProxyError } from '../runtime/proxy-error.js';
import { Markup, markup } from './markup.js';
import { renderScreen, toScreen } from './page-html.js';
import type { PageParts, ScreenName } from './page-html.js';
import { paymentWords } from './payment-words.js';

/** What the form's answer is made with. */
export interface FormParts extends PageParts {
  readonly texts: Messages;
  readonly create: Create;
  readonly lookUp: LookUpInvoice;
  readonly toProxyError: ToProxyError;
  readonly randomUuid: () => string;
  readonly now: () => number;
}

/** The form's request. */
interface FormQuestion {
  readonly reference: string;
  readonly form: URLSearchParams;
  readonly request: Request;
  readonly admitCreation: AdmitCreation;
}

/** Called when the form has come. @returns the payer's address. @throws ProxyError while the proxy closes */
export type AdmitCreation = (request: Request) => string | null;

/** A page's content and its status. */
interface FormAnswer {
  readonly status: number;
  readonly content: Markup;
}

/** @param fault what the payer has to correct, in their language */
export function renderForm({ page, texts }: FormParts, fault: string | null = null): Markup {
  const rest = markup`${fault && markup`<p class="fault" role="alert">${fault}</p>`}
    <form method="post">
    ${parseAskedFields(page.payerFields).asked.map((asked) => renderInput(asked, texts))}
    <button>${texts.generate}</button>
    </form>`;
  const text = paymentWords[page.locale].byForm;
  return renderScreen({ title: texts.title, text, icon: null, rest });
}

/** Keypads and autofill as the element's. */
const traits: { readonly [K in PayerField]?: Markup } = {
  name: markup` autocomplete="name"`,
  cpf_cnpj: markup` inputmode="numeric"`,
  email: markup` type="email" autocomplete="email"`,
  phone: markup` type="tel" autocomplete="tel-national"`,
  address_zip: markup` inputmode="numeric" autocomplete="postal-code"`,
};

function renderInput({ field, required }: AskedField, texts: Messages): Markup {
  const label = required ? texts.fields[field] : `${texts.fields[field]} ${texts.optional}`;
  return markup`<label>${label}<input name="${field}"${traits[field] ?? null}${required ? markup` required` : null}></label>`;
}

/** Answers one of the two forms: for a code, or for whether it was paid. What fails is a screen, too. */
export async function answerForm(parts: FormParts, question: FormQuestion): Promise<FormAnswer> {
  const { texts } = parts;
  const { form } = question;
  const isDrawn = form.has('lookup_token');
  try {
    return await (isDrawn ? lookAgain(parts, question) : getCode(parts, question));
  } catch (thrown) {
    const error = parts.toProxyError(thrown);
    const { status, code } = error;
    const name = toScreenName(error);
    if (name !== 'unreachable') return { status, content: renderScreen(toScreen(parts, name)) };
    // Who may have paid is not offered to begin anew.
    if (isDrawn && status >= 429) {
      const rest = renderAgain(texts, form.get('invoice_id'), form.get('lookup_token'));
      return { status, content: renderScreen({ ...toScreen(parts, name), rest }) };
    }
    return { status, content: renderForm(parts, texts.errors[code]) };
  }
}

async function getCode(parts: FormParts, question: FormQuestion): Promise<FormAnswer> {
  const { page, texts, create, randomUuid } = parts;
  const { reference, form, request, admitCreation } = question;
  const payer: Partial<Record<PayerField, string>> = {};
  for (const { field, required } of parseAskedFields(page.payerFields).asked) {
    const value = form.get(field)?.trim() ?? '';
    const fault = checkPayerField(field, value, required);
    if (fault) {
      return { status: 400, content: renderForm(parts, toFaultText(texts, field, fault)) };
    }
    if (value !== '') payer[field] = value;
  }
  const clientAddress = admitCreation(request);
  const creation = parseCreateRequest({ method: 'pix', external_id: reference, payer }, false);
  const fromBrowser = { key: randomUuid(), request };
  const invoice = await create({ request: creation, fromBrowser, clientAddress });
  const content = await drawCode(parts, invoice);
  // Nothing to draw: what came is not for paying, such as a code past its deadline.
  if (content === null) throw new ProxyError('service_unavailable');
  return { status: 200, content };
}

/** "I have paid", pressed under a drawn code. The holder of its look-up token may know. */
async function lookAgain(parts: FormParts, { form, request }: FormQuestion): Promise<FormAnswer> {
  const { texts, lookUp } = parts;
  const token = form.get('lookup_token') ?? '';
  const invoiceId = form.get('invoice_id') ?? '';
  const { signal } = request;
  const trace = readTrace(request.headers);
  const found = await lookUp({ invoiceId, token, wait: null, signal, trace });
  if (found.status === 'paid') {
    return { status: 200, content: renderScreen(toScreen(parts, 'paid')) };
  }
  const invoice = { ...found, qr_code_pix: found.qr_code_pix ?? '', lookup_token: token };
  const content = await drawCode(parts, invoice, texts.notYet);
  return { status: 200, content: content ?? renderForm(parts, texts.notYet) };
}

/** @returns null: it is not for paying */
async function drawCode(
  { page, texts, now, allowUnverifiedCodes }: FormParts,
  invoice: CreatedInvoice,
  note: string | null = null,
): Promise<Markup | null> {
  // Not before it is needed: most proxies draw nothing.
  const { renderInvoice } = await import('../../html.js');
  const { locale, receiverName } = page;
  const drawn = renderInvoice(invoice, {
    locale,
    now,
    allowUnverifiedCode: allowUnverifiedCodes,
    ...(receiverName === null ? {} : { receiverName }),
  });
  if (drawn === '') return null;
  return markup`${note && markup`<p class="note" role="alert">${note}</p>`}
    <pix-checkout>${new Markup(drawn)}</pix-checkout>
    ${renderAgain(texts, invoice.invoice_id, invoice.lookup_token ?? null)}`;
}

/** The button that looks the invoice up. */
function renderAgain(texts: Messages, invoiceId: string | null, token: string | null): Markup {
  return markup`<form class="again" method="post">
    <input type="hidden" name="invoice_id" value="${invoiceId}">
    <input type="hidden" name="lookup_token" value="${token}">
    <button>${texts.alreadyPaid}</button>
    </form>`;
}

function toFaultText(
  texts: Messages,
  field: PayerField,
  fault: NonNullable<ReturnType<typeof checkPayerField>>,
): string {
  const own = fault === 'too_long' ? undefined : texts[fault][field];
  return own ?? texts.faults[fault](texts.fields[field]);
}

/** As the page's script chooses (`checkout/pay`). */
function toScreenName({ code }: ProxyError): ScreenName {
  if (code === 'order_paid') return 'paid';
  if (code === 'order_closed') return 'closed';
  return code === 'unknown_order' ? 'link' : 'unreachable';
}

/** What a page without scripts says where each order needs a token: the server cannot know which order it is. */
export function renderNoScripts(page: PaymentPageSettings): Markup {
  return renderScreen({ ...paymentWords[page.locale].noScripts, icon: 'alert' });
}

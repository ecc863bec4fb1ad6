/**
 * Paying with scripts off, where orders are public: a form asks for what the element would ask for, and the answer is the
 * code that the server drew. Only its POST creates something: previews of links ask by GET.
 */

import type { Messages } from '../../checkout/locales/messages.js';
import { checkPayerField, parseAskedFields } from '../../domain/payer.js';
import type { AskedField, PayerField } from '../../domain/payer.js';
import type { PaymentPageSettings } from '../config/payment-page-option.js';
import type { Create } from '../operations/create.js';
import { parseCreateRequest } from '../operations/create.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { Markup, markup } from './markup.js';
import { renderScreen, toScreen } from './page-html.js';
import type { PageParts, ScreenName } from './page-html.js';
import { paymentWords } from './payment-words.js';

/** What the form's answer is made with. */
export interface FormParts extends PageParts {
  readonly texts: Messages;
  readonly create: Create;
  readonly randomUuid: () => string;
  readonly now: () => number;
}

/** The form's request. */
interface FormQuestion {
  readonly reference: string;
  readonly form: URLSearchParams;
  readonly request: Request;
  readonly clientAddress: string | null;
}

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

/** Creates, or gets, the order's code, and draws it. What fails is a screen, too. */
export async function answerForm(parts: FormParts, question: FormQuestion): Promise<FormAnswer> {
  const { page, texts } = parts;
  const { asked } = parseAskedFields(page.payerFields);
  const values = asked.map(({ field }) => [field, question.form.get(field)?.trim() ?? ''] as const);
  const wrong = asked.flatMap(({ field, required }, at) => {
    const fault = checkPayerField(field, values[at]![1], required);
    return fault ? [toFaultText(texts, field, fault)] : [];
  });
  if (wrong.length > 0) return { status: 400, content: renderForm(parts, wrong[0]) };
  try {
    const given = values.filter(([, value]) => value !== '');
    return { status: 200, content: await drawCode(parts, question, Object.fromEntries(given)) };
  } catch (thrown) {
    if (!(thrown instanceof ProxyError)) throw thrown;
    const name = toScreenName(thrown);
    if (name !== 'unreachable') {
      return { status: thrown.status, content: renderScreen(toScreen(parts, name)) };
    }
    return { status: thrown.status, content: renderForm(parts, texts.errors[thrown.code]) };
  }
}

async function drawCode(
  { page, create, randomUuid, now, allowUnverifiedCodes }: FormParts,
  { reference, request, clientAddress }: FormQuestion,
  payer: object,
): Promise<Markup> {
  const creation = parseCreateRequest({ method: 'pix', external_id: reference, payer }, false);
  const fromBrowser = { key: randomUuid(), request };
  const invoice = await create({ request: creation, fromBrowser, clientAddress });
  // Not before it is needed: most proxies draw nothing.
  const { renderInvoice } = await import('../../html.js');
  const { locale, receiverName } = page;
  const drawn = renderInvoice(invoice, {
    locale,
    now,
    allowUnverifiedCode: allowUnverifiedCodes,
    ...(receiverName === null ? {} : { receiverName }),
  });
  // Nothing to draw: what came is not for paying, such as a code past its deadline.
  if (drawn === '') throw new ProxyError('service_unavailable');
  return markup`<pix-checkout>${new Markup(drawn)}</pix-checkout>`;
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

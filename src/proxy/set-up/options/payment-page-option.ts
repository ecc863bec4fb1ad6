/** Reads `paymentPage` once, at start. Addresses become what stands in the page: a path on the proxy's own origin, or absolute. */

import * as z from 'zod/mini';
import { parseAskedFields } from '../../../domain/payer.js';
import { parseSecureUrl } from '../../../service/secure-url.js';
import { oneOf, orNull, readBy, text } from './option-schema.js';

/**
 * A path on the proxy's origin, or an absolute address. `//host/…` is refused: it only looks like a path. So is what would
 * end a directive of the page's policy, and a star, which the parser takes for a host's name and the policy for every host.
 */
const pageUrl = readBy((option, given) => {
  if (typeof given === 'string' && /^\/(?!\/)[\w./~%?=&-]*$/.test(given)) return given;
  const { href, hostname } = parseSecureUrl(option, given);
  if (/^[\w.-]+$|^\[/.test(hostname)) return href;
  throw new TypeError(`${option} must name a host: letters, digits, dots and hyphens`);
});

/** Where a payer finds a person: an address of the web (a chat's, too), an e-mail address or a telephone number. */
const contactUrl = readBy((option, given) =>
  typeof given === 'string' && /^(?:mailto:[\w.+-]+@[\w.-]+|tel:\+?[\d-]{3,20})$/.test(given)
    ? given
    : parseSecureUrl(option, given).href,
);

const method = z.enum(['pix', 'credit_card'], 'must be pix or credit_card');
const eachOnce = 'must be a list of methods, each once';
const colour = 'must be a colour such as #0b6b5b';

export const paymentPageSchema = z.strictObject(
  {
    name: text,
    methods: z._default(
      z
        .array(method, eachOnce)
        .check(z.refine((all) => all.length > 0 && new Set(all).size === all.length, eachOnce)),
      ['pix'],
    ),
    payerFields: z._default(
      z.string('must be a text').check(
        z.refine((words) => parseAskedFields(words).unknown.length === 0, {
          error: 'holds a word that is no field of a payer',
        }),
      ),
      'name cpf_cnpj email',
    ),
    locale: oneOf('pt-BR', 'en', 'es'),
    receiverName: orNull(text),
    // It becomes part of a style sheet.
    accent: orNull(z.string(colour).check(z.regex(/^#(?:[\da-f]{3}){1,2}$/i, colour))),
    logoUrl: orNull(pageUrl),
    stylesheetUrl: orNull(pageUrl),
    supportUrl: orNull(contactUrl),
    returnUrl: orNull(pageUrl),
    // Names of files are put behind it.
    assetsUrl: z.optional(
      pageUrl.check(z.refine((url) => !/[?#]/.test(url), 'must not hold a query or a fragment')),
    ),
  },
  'must be an object',
);

/** `paymentPage` with every default filled in; null stands for what was not given. */
export interface PaymentPageSettings extends Readonly<
  Omit<z.output<typeof paymentPageSchema>, 'assetsUrl'>
> {
  /** Without a trailing slash. */
  readonly assetsUrl: string;
}

/** Fills in what depends on `publicUrl`. */
export function toPaymentPage(
  { assetsUrl, ...given }: z.output<typeof paymentPageSchema>,
  publicUrl: string,
): PaymentPageSettings {
  const ownAssets = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/assets`;
  return { ...given, assetsUrl: (assetsUrl ?? ownAssets).replace(/\/+$/, '') };
}

/** Hides personal data in what the log shows of a request or an answer. What is not known to be harmless is hidden. */

/** What stays readable: words of the contract that name no person and open nothing. */
const harmless = new Set(
  `method external_id expected_total_cents replaces invoice_id order_code status total_cents expires_in is_pix installment
  installments message created_at updated_at type title code detail qr_code_pix`.split(/\s+/),
);

/** Long values (a Pix code) are shown by their beginning. */
const mostCharacters = 48;

const hidden = '•••';

/** A body as text, indented; one that is no JSON is not shown at all. */
export function toMasked(body: string): string {
  if (body === '') return '';
  try {
    return JSON.stringify(mask(JSON.parse(body)), null, 2);
  } catch {
    return `${body.length} characters, no JSON`;
  }
}

/** @param name of the property that holds the value */
function mask(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner, key)]));
  }
  if (value === null || typeof value === 'boolean') return value;
  if (!harmless.has(name)) return hidden;
  return typeof value === 'string' && value.length > mostCharacters
    ? `${value.slice(0, mostCharacters)}…`
    : value;
}

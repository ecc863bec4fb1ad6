/**
 * What the sandbox assumes where the service's specification says nothing. The demo and the README list these sentences, the
 * code marks each place with `Assumed:`, and each has a test of its name.
 */
export const assumptions: readonly string[] = [
  'A creation needs method and total_price_cents; other fields may be absent or null.',
  'method is pix or credit_card, in any case; another one is refused.',
  'A total has at least one cent and fits into field 54 of a Pix code.',
  'A body that is no JSON is 400, a wrong field 422 with its name in the message.',
  'A CPF or CNPJ with wrong check digits is a wrong field.',
  'Errors are JSON with a message; unknown paths and ids are 404, wrong methods 405.',
  'Too many requests are 429 with Retry-After, a failure is 500.',
  'No Content-Type is demanded.',
  'Idempotency-Key is ignored: the same external_id twice makes two invoices.',
  'The look-up takes invoice_id and order_code alike.',
  'The look-up reads no body.',
  'order_code is SBX- and a running number.',
  'Timestamps have the offset of Brasília and six fractional digits.',
  'An invoice that is not paid has null for end_to_end_id and payer.',
  'client repeats the payer of the creation; what it lacked is null.',
  'unit_price is in cents, and UnitPrice repeats it.',
  'An item is Tangible when product_fisical was given and is not digital.',
  'A card invoice has an empty qr_code_pix, and when paid no end_to_end_id and no payer.',
  'A token decides before a number; a card that is no test card stays pending.',
  'A creation says paid or refused of a card with HTTP 200.',
  'A pending card that ends by itself says so at the second look-up.',
  'A card is charged unless refused, failed, canceled, cancelled, expired, blocked or processing_error.',
  'Settling a paid invoice again changes nothing.',
  'The postback is an unsigned JSON POST, sent once each time.',
];

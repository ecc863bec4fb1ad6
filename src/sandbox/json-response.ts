/** Makes the sandbox's responses. */

/** A JSON answer. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** A success of the service, in its envelope. */
export function success(data: object): Response {
  return json(200, { data, message: 'OK' });
}

/** A failure of the service. Assumed: the body is a message (service spec does not show it). */
export function failure(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json(status, { message }, headers);
}

/** A failure of the control surface (RFC 9457). `field` says what in the call was wrong. */
export function problem(status: number, title: string, field?: string): Response {
  const body = { type: 'about:blank', title, status, ...(field === undefined ? {} : { field }) };
  return json(status, body, { 'Content-Type': 'application/problem+json' });
}

/** Makes the sandbox's responses. */

/** A JSON answer. */
export function toJsonResponse(
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
export function toSuccess(data: object): Response {
  return toJsonResponse(200, { data, message: 'OK' });
}

/** A failure of the service. Assumed: the body is a message (service spec does not show it). */
export function toFailure(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return toJsonResponse(status, { message }, headers);
}

/** A failure of the control surface (RFC 9457). `field` says what in the call was wrong. */
export function toProblem(status: number, title: string, field?: string): Response {
  const body = { type: 'about:blank', title, status, ...(field === undefined ? {} : { field }) };
  return toJsonResponse(status, body, { 'Content-Type': 'application/problem+json' });
}

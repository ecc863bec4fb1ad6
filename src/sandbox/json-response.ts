/** Makes the sandbox's responses. */

/** A success of the service, in its envelope. */
export function toSuccess(data: object): Response {
  return Response.json({ data, message: 'OK' });
}

/** A failure of the service. Assumed: the body is a message (service spec does not show it). */
export function toFailure(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ message }, { status, headers });
}

/** A failure of the control surface (RFC 9457). `field` says what in the call was wrong. */
export function toProblem(status: number, title: string, field?: string): Response {
  const body = { type: 'about:blank', title, status, ...(field === undefined ? {} : { field }) };
  const headers = { 'Content-Type': 'application/problem+json' };
  return Response.json(body, { status, headers });
}

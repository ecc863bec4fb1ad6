/**
 * A proxy of twenty lines that knows the two routes and nothing else of ours: it prices the order, adds the bearer, and
 * forwards. No shop can live with it.
 */

/** What it knows of the world. */
interface ForwarderOptions {
  readonly serviceUrl: string;
  readonly accessToken: string;
  /** Price of every order, integer cents. */
  readonly totalCents: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** It stands at `/pix`. */
export function createForwarder(options: ForwarderOptions) {
  const { serviceUrl, accessToken, totalCents, fetch: send = globalThis.fetch } = options;

  /** All of it. */
  return async function forward(request: Request): Promise<Response> {
    const { method } = request;
    const path = new URL(request.url).pathname.replace('/pix/', '');
    const isCreation = method === 'POST' && path === 'invoices';
    if (!isCreation && !(method === 'GET' && /^invoices\/[\w-]+$/.test(path))) {
      return new Response(null, { status: 404 });
    }
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': 'application/json',
    };
    const order = { total_price_cents: totalCents };
    return send(`${serviceUrl}/api/v2/${path}`, {
      method,
      headers,
      ...(isCreation && { body: JSON.stringify({ ...(await request.json()), ...order }) }),
    });
  };
}

/**
 * Checks method and path of a free request, whose operation only the merchant knows. Errors name the argument and never quote
 * it, because a path may contain an id.
 */

/** Methods of a free request. */
// Assumed: other operations may use more than GET and POST (service spec shows only these two).
const serviceMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** One of {@link serviceMethods}, in capitals. */
export type ServiceMethod = (typeof serviceMethods)[number];

/** Longest path with its query, characters. It has room for any id, and servers accept it. */
const maxPathLength = 2_000;

/**
 * A path of plain segments (RFC 3986 `pchar` without `%`, `;` and quotes), with at most one query after it.
 *
 * No `%`, because servers would decode what an id smuggles in (`%2e%2e`, `%2f`). No `;`, because some servers read `..`
 * before it as a parent. No slash in the query, because a `?` in an id would cut the path short there.
 */
const pathPattern =
  /^(?:\/[A-Za-z0-9._~:@,=+-]+)+\/?(?:\?(?:[A-Za-z0-9._~:@,=+&-]|%[0-9A-Fa-f]{2})*)?$/;

/**
 * Reads the method of a free request.
 *
 * @throws TypeError for anything but {@link serviceMethods}
 */
export function parseMethod(value: unknown): ServiceMethod {
  const method = serviceMethods.find((known) => known === value);
  if (method === undefined) throw new TypeError(`method must be ${serviceMethods.join(', ')}`);
  return method;
}

/**
 * Appends a path to the base address. Nothing in the path, such as `..` or `//`, can lead out of that address.
 *
 * @param baseUrl what `parseBaseUrl` returned: no slash at its end
 * @throws TypeError for a path that is not absolute, plain and short
 */
export function toRequestUrl(baseUrl: string, path: unknown): string {
  if (typeof path !== 'string' || path.length > maxPathLength || !pathPattern.test(path)) {
    throw new TypeError(
      'path must be like /api/v2/…, of letters, digits and . _ ~ : @ , = + -; a query may follow',
    );
  }
  const url = baseUrl + path;
  // The URL parser removes `.` and `..`, so a path that it rewrites is refused.
  if (new URL(url).href !== url) throw new TypeError('path must not hold . or .. as a segment');
  return url;
}

import { messageOf } from '../graph/values/index.ts';
import type { GuardedRequest, HttpRequest, HttpResponse } from './guarded-request.ts';
import { NetworkError } from './network-error.ts';

/**
 * Sends a request, follows its redirects and reads the final response; the guard checks each address. Bodies and
 * configured headers are not sent to another origin; a change from https to http is another origin, too.
 * @throws NetworkError `blocked` for an address that the guard refuses, and for a redirect that would send a body to
 * another origin; `too many redirects`; `failed after a redirect` for any failure, also of `read`, after the redirecting
 * server may have done the work. Other errors of the HTTP client and of `read` are unchanged
 */
export async function followRedirects<T>(
  send: GuardedRequest,
  request: HttpRequest,
  read: (response: HttpResponse) => Promise<T>,
): Promise<T> {
  let hop = request;
  let redirectedBy: URL | undefined;
  let mayBeDone = false;
  try {
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      const response = await send(hop, redirectedBy);
      const next = requestAfterRedirect(hop, response);
      if (!next) return await read(response);
      response.discard();
      mayBeDone ||= next.method !== hop.method;
      redirectedBy = hop.url;
      hop = next;
    }
    throw new NetworkError('too many redirects', `There were more than ${MAX_HOPS} redirects`);
  } catch (cause) {
    if (!mayBeDone) throw cause;
    throw new NetworkError('failed after a redirect', messageOf(cause), { cause });
  }
}

/** More redirects count as a loop. */
const MAX_HOPS = 10;

/** The method after a redirect. Other statuses, and redirects without a location, are final responses. */
const METHOD_AFTER: ReadonlyMap<number, (method: string) => string | null> = new Map([
  [301, methodForReading],
  [302, methodForReading],
  [303, () => 'GET'],
  [307, (method: string) => method],
  [308, (method: string) => method],
]);

/** For other methods it is unclear whether the work is done, or must be done at the new location. */
function methodForReading(method: string): string | null {
  return method === 'GET' || method === 'POST' ? 'GET' : null;
}

/** Returns the request to the location of a redirect; `null` for a final response. */
function requestAfterRedirect(
  { url: from, headers, ...rest }: HttpRequest,
  { status, headers: received }: HttpResponse,
): HttpRequest | null {
  const location = received.get('location');
  const method = METHOD_AFTER.get(status)?.(rest.method) ?? null;
  if (location === null || method === null || !URL.canParse(location, from.href)) return null;
  const url = new URL(location, from);
  const isElsewhere = url.origin !== from.origin;
  const body = method === rest.method ? rest.body : null;
  if (isElsewhere && body !== null) throw redirectedBodyError(from, url);
  const kept = Object.entries(headers).filter(
    ([name]) => (!isElsewhere || SENT_ANYWHERE.has(name)) && (body !== null || !BODY_HEADERS.has(name)),
  );
  return { ...rest, url, method, headers: Object.fromEntries(kept), body };
}

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
]);

/** Headers that contain nothing about the caller. */
const SENT_ANYWHERE: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

function redirectedBodyError(from: URL, to: URL): NetworkError {
  const message = `The URL is blocked: ${from.origin} redirects to ${to.origin}, and a body is not sent to another origin`;
  return new NetworkError('blocked', message);
}

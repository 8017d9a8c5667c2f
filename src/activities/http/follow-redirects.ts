import type { Response } from 'undici';
import { CallError } from '../calls/call-error.ts';
import { REFUSED, fromNetwork } from '../calls/classify-failure.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** An HTTP request of a tool; header names are in lower case. */
export interface ToolRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

/**
 * Sends a request, follows its redirects and reads the final response; the guard checks each address. If a redirect
 * turns the request into a GET, the server may have done the work, so later failures count as `perhaps` done.
 * @param credentials headers, besides the usual ones, that are not sent to another origin
 * @throws CallError
 */
export async function followRedirects<T>(
  fetch: GuardedFetch,
  { request, credentials }: { readonly request: ToolRequest; readonly credentials: readonly string[] },
  read: (response: Response) => Promise<T>,
): Promise<T> {
  let hop = request;
  let redirectedBy: URL | undefined;
  let isPerhapsDone = false;
  try {
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      const { url, ...init } = hop;
      const response = await fetch(url, init, redirectedBy);
      const next = nextHop(hop, response, credentials);
      if (!next) return await read(response);
      await response.body?.cancel();
      isPerhapsDone ||= next.method !== hop.method;
      redirectedBy = url;
      hop = next;
    }
    throw new CallError('TOOL_FAILED', `There were more than ${MAX_HOPS} redirects`, REFUSED);
  } catch (thrown) {
    const error = fromNetwork('TOOL_FAILED', thrown);
    throw isPerhapsDone ? error.perhapsDone() : error;
  }
}

/** More redirects are taken for a loop. */
const MAX_HOPS = 10;

/** The method after a redirect. Other statuses, and redirects without a location, are answers. */
const METHOD_AFTER: ReadonlyMap<number, (method: string) => string | null> = new Map([
  [301, toRead],
  [302, toRead],
  [303, () => 'GET'],
  [307, (method: string) => method],
  [308, (method: string) => method],
]);

/** For other methods it is not clear whether the work is done or is to be done at the new location. */
function toRead(method: string): string | null {
  return method === 'GET' || method === 'POST' ? 'GET' : null;
}

/** @returns `null` if the response is no redirect to follow */
function nextHop(
  { url: from, headers, ...rest }: ToolRequest,
  { status, headers: answered }: Response,
  credentials: readonly string[],
): ToolRequest | null {
  const location = answered.get('location');
  const method = METHOD_AFTER.get(status)?.(rest.method) ?? null;
  if (location === null || method === null || !URL.canParse(location, from.href)) return null;
  const url = new URL(location, from);
  const isRead = method !== rest.method;
  const dropped = new Set([
    ...(isRead ? BODY_HEADERS : []),
    ...(url.origin === from.origin ? [] : [...CREDENTIAL_HEADERS, ...credentials]),
  ]);
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
  return { ...rest, url, method, headers: Object.fromEntries(kept), body: isRead ? null : rest.body };
}

const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization', 'host'];

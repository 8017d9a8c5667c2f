import { CallError } from '../calls/call-error.ts';
import { REFUSED, fromNetwork } from '../calls/classify-failure.ts';
import type { GuardedRequest, ToolAnswer, ToolRequest } from './guarded-request.ts';

/**
 * Sends a request, follows its redirects and reads the final answer; the guard checks each address. If a redirect
 * turns the request into a GET, the server may have done the work, so later failures count as `perhaps` done. To another
 * origin, also from https to http, go neither bodies nor configured headers.
 * @throws CallError `BLOCKED_URL` for an address that the guard refuses, and for a body that another origin asks for
 */
export async function followRedirects<T>(
  send: GuardedRequest,
  request: ToolRequest,
  read: (answer: ToolAnswer) => Promise<T>,
): Promise<T> {
  let hop = request;
  let redirectedBy: URL | undefined;
  let isPerhapsDone = false;
  try {
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      const answer = await send(hop, redirectedBy);
      const next = nextHop(hop, answer);
      if (!next) return await read(answer);
      answer.discard();
      isPerhapsDone ||= next.method !== hop.method;
      redirectedBy = hop.url;
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

/** @returns `null` if the answer is no redirect to follow */
function nextHop(
  { url: from, headers, ...rest }: ToolRequest,
  { status, headers: answered }: ToolAnswer,
): ToolRequest | null {
  const location = answered.get('location');
  const method = METHOD_AFTER.get(status)?.(rest.method) ?? null;
  if (location === null || method === null || !URL.canParse(location, from.href)) return null;
  const url = new URL(location, from);
  const isElsewhere = url.origin !== from.origin;
  const body = method === rest.method ? rest.body : null;
  if (isElsewhere && body !== null) throw bodyElsewhere(from, url);
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

/** Headers that say nothing about the caller. */
const SENT_ANYWHERE: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

function bodyElsewhere(from: URL, to: URL): CallError {
  const message = `The URL is blocked: ${from.origin} redirects to ${to.origin}, and a body is not sent to another origin`;
  return new CallError('BLOCKED_URL', message, REFUSED);
}

import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { requirePlainJson } from '../http/media-type.ts';
import { readJsonText } from '../http/read-json.ts';
import { readBytes } from './read-bytes.ts';

const JSON_TYPE = 'application/json';

/**
 * Reads a JSON body and counts its bytes while they arrive.
 * @param maxBytes the limit of the body
 * @param absent a request without a body and a type counts as `{}`, which most routes that need a body refuse; a route
 *   that takes any object refuses it here
 */
export function jsonBody(maxBytes: number, absent: 'is-empty' | 'is-refused' = 'is-empty') {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { url, method, signal, headers: given } = c.req.raw;
    const bytes = await readBytes(c.req.raw, maxBytes);
    const isAbsent = bytes.byteLength === 0 && !given.has('content-type');
    if (!isAbsent) requirePlainJson(given);
    else if (absent === 'is-refused') throw new ApiError('INVALID_REQUEST', 'This request needs a body');
    const body = isAbsent ? '{}' : readJsonText(bytes);
    const headers = new Headers(given);
    headers.set('content-type', JSON_TYPE);
    c.req.raw = new Request(url, { method, headers, body, signal });
    await next();
  });
}

import { createMiddleware } from 'hono/factory';
import type { ApiEnv } from '../deps.ts';
import { isDeeperThan, messageOf } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';

const MAX_DEPTH = 100;

/**
 * Reads a JSON body and counts its bytes while they arrive. A request without a body and a type counts as `{}`.
 * @param maxBytes the limit of the body
 */
export function jsonBody(maxBytes: number) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const given = await readText(c.req.raw, maxBytes);
    const givenType = c.req.header('content-type') ?? '';
    const [text, type] = given === '' && givenType === '' ? ['{}', 'application/json'] : [given, givenType];
    if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
      throw new ApiError(
        'UNSUPPORTED_MEDIA_TYPE',
        `The body must be application/json, not ${type === '' ? 'of no type' : type}`,
      );
    }
    if (isDeeperThan(MAX_DEPTH, parse(text))) {
      throw new ApiError('INVALID_REQUEST', `The body is nested deeper than ${MAX_DEPTH} levels`, {
        issues: [{ path: '', message: 'Too deep' }],
      });
    }
    const { url, method, signal } = c.req.raw;
    const headers = new Headers(c.req.raw.headers);
    headers.set('content-type', type);
    c.req.raw = new Request(url, { method, headers, body: text, signal });
    await next();
  });
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = (): ApiError => new ApiError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('MALFORMED_JSON', `The body is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

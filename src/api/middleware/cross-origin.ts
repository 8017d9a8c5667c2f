import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { ApiDeps, ApiEnv } from '../deps.ts';

/** The request headers that the API reads, and those of traces. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'prefer',
  'traceparent',
  'tracestate',
];

/** The response headers that a page may read besides those that browsers always show it. */
const RESPONSE_HEADERS = [
  'location',
  'content-location',
  'x-pagination-total',
  'etag',
  'retry-after',
  'preference-applied',
  'idempotent-replayed',
  'x-request-id',
];

/**
 * Middleware: lets pages of the given origins send requests and read responses, errors included. Browsers send no
 * cookies along, as the API takes tokens only.
 */
export function crossOrigin({
  origins,
  maxAgeMs,
}: NonNullable<ApiDeps['settings']['cors']>): MiddlewareHandler<ApiEnv> {
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: RESPONSE_HEADERS,
    maxAge: Math.floor(maxAgeMs / 1_000),
  });
}

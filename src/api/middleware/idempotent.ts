import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { ulid } from 'ulid';
import { toJson } from '../../graph/values/index.ts';
import type { RequestKey } from '../../store/idempotency.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { contentHash } from '../http/fingerprints.ts';
import { seesPayloads } from '../redaction.ts';
import type { AdmissionRefusals } from '../http/admission.ts';
import { LEASE_MS, admitOnce, timestampIn, readIdempotencyKey, withdrawAttempt } from '../http/admission.ts';

/** Statuses that depend on the caller, on load or on administrators' settings; such answers are not stored. */
const NOT_KEPT: ReadonlySet<number> = new Set([401, 403, 429]);
const KEPT_HEADERS = ['content-type', 'location', 'etag'];

/** Computes a fingerprint of what a request asks for; different bodies have different fingerprints. */
export type ReadFingerprint = (c: Context<ApiEnv>) => Promise<string>;

/**
 * Makes a request safe to repeat: the same `Idempotency-Key` with the same body receives the first answer again (after
 * draft-ietf-httpapi-idempotency-key-header-07).
 * @param readFingerprint computes the fingerprint of a body that is not JSON
 */
export function idempotent(
  { store, logger }: Pick<ApiDeps, 'store' | 'logger'>,
  readFingerprint: ReadFingerprint = fingerprintOfJson,
) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const key = readIdempotencyKey(c.req.header('idempotency-key'));
    c.set('attempt', { id: ulid(), isRepetition: false });
    if (key === null) return await next();
    const request = toRequestKey(c, key);
    const admitted = await admitOnce(store, request, await readFingerprint(c), REFUSALS);
    if (admitted.kind === 'replay') {
      measure('holdfast.idempotency.replays', 1, {});
      const { status, headers, body } = admitted.answer;
      return new Response(JSON.stringify(body), { status, headers: { ...headers, 'idempotent-replayed': 'true' } });
    }
    c.set('attempt', admitted.attempt);
    const extending = setInterval(
      () => void store.idempotency.lease(request, timestampIn(LEASE_MS)).catch(() => undefined),
      LEASE_MS / 3,
    );
    try {
      await next();
    } finally {
      clearInterval(extending);
    }
    await c.get('recordActs')?.();
    await keepAnswer(c, { store, logger }, request);
    return undefined;
  });
}

const REFUSALS: AdmissionRefusals = {
  reused: 'This Idempotency-Key came with another body, or with other permissions, before',
  inProgress: 'A request with this Idempotency-Key is still being worked on',
};

/** Other routes are stored as a hash, because an index entry of PostgreSQL has at most 2,704 bytes. */
const PLAIN_ROUTE = /^[ -~]{1,200}$/;

function toRequestKey(c: Context<ApiEnv>, key: string): RequestKey {
  const { tenantId, sub } = c.get('caller');
  const route = `${c.req.method} ${c.req.path}`;
  return { tenantId, subject: sub, route: PLAIN_ROUTE.test(route) ? route : contentHash(route), key };
}

/** Includes the caller's view, because a stored answer is redacted for one view only. */
async function fingerprintOfJson(c: Context<ApiEnv>): Promise<string> {
  const body: unknown = await c.req.json();
  const view = seesPayloads(c.get('caller')) ? 'whole' : 'redacted';
  return contentHash([view, toJson(body)]);
}

async function keepAnswer(
  c: Context<ApiEnv>,
  { store, logger }: Pick<ApiDeps, 'store' | 'logger'>,
  request: RequestKey,
): Promise<void> {
  const { status } = c.res;
  try {
    if (status >= 500 || c.get('isUnfinished')) return await store.idempotency.lease(request, timestampIn(0));
    if (NOT_KEPT.has(status)) return await withdrawAttempt(store, request, c.get('attempt'));
    const headers = KEPT_HEADERS.flatMap((name) => {
      const value = c.res.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const body: unknown = await c.res.clone().json();
    await store.idempotency.keep(request, { status, headers: Object.fromEntries(headers), body: toJson(body) });
  } catch (error) {
    logger.warn({ error, route: request.route }, 'an answer could not be kept for repetition');
  }
}

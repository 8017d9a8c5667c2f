import { ulid } from 'ulid';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { RequestKey } from '../../store/idempotency.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, retryAfter } from '../http/errors.ts';
import { contentHash } from '../http/fingerprints.ts';
import { startRun } from '../runs/start-run.ts';
import type { WantedRun } from '../runs/start-run.ts';

/** A user message that a run is going to answer. */
interface MessageToAnswer {
  /** The same for all attempts of one message. */
  readonly key: string;
  readonly wanted: WantedRun;
}

/** The run that answers a message: a new run, or the run that an earlier attempt has started. */
interface AdmittedMessage {
  readonly runId: string;
  /** Starts the run unless an earlier attempt has started it. @throws ApiError as `startRun` does */
  readonly begin: () => Promise<void>;
}

const LEASE_MS = 15_000;

/**
 * Admits a message once. If the same message is sent again, it returns the run that answers the first one.
 * @throws ApiError 409 while an earlier attempt is in progress, 422 for another message with the same id
 */
export async function admitMessage(
  deps: ApiDeps,
  caller: Caller,
  { key, wanted }: MessageToAnswer,
): Promise<AdmittedMessage> {
  const { store } = deps;
  const { tenantId, sub: subject } = caller;
  const request: RequestKey = { tenantId, subject, route: 'POST /api/chat', key };
  const now = Date.now();
  const id = ulid();
  const admission = await store.idempotency.admit({
    ...request,
    fingerprint: contentHash(toJson(wanted)),
    resourceId: id,
    at: new Date(now).toISOString(),
    leaseUntil: new Date(now + LEASE_MS).toISOString(),
  });
  switch (admission.kind) {
    case 'replay':
      return { runId: runIdIn(admission.answer.body), begin: async () => undefined };
    case 'reused':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'A message with this id, and with another content, came before');
    case 'in-progress':
      throw retryAfter(1, 'REQUEST_IN_PROGRESS', 'This message is still being worked on');
    case 'proceed': {
      const runId = admission.resourceId;
      const begin = async (): Promise<void> => {
        await startRun(deps, caller, runId, wanted).catch(async (error: unknown) => {
          // A message that is refused at its first attempt has started nothing, so the client may send it again after
          // correcting it.
          if (error instanceof ApiError && error.status < 500)
            await (runId === id
              ? store.idempotency.forget(request)
              : store.idempotency.lease(request, new Date().toISOString()));
          throw error;
        });
        await store.idempotency.keep(request, { status: 200, headers: {}, body: { runId } });
      };
      return { runId, begin };
    }
  }
}

function runIdIn(body: Json): string {
  const runId = isJsonObject(body) ? body['runId'] : undefined;
  if (typeof runId === 'string') return runId;
  throw new TypeError('The answer to a message names no run');
}

import { ulid } from 'ulid';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { RequestKey } from '../../store/idempotency.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { contentHash } from '../http/content-hash.ts';
import { ApiError } from '../http/errors.ts';
import { startRun } from '../runs/start-run.ts';
import type { WantedRun } from '../runs/start-run.ts';

/** A message of a user that a run is to answer. */
export interface Turn {
  /** Equal for all tries of one message. */
  readonly key: string;
  readonly wanted: WantedRun;
}

/** The run that answers a message: a new one, or the one that an earlier try has started. */
export interface AdmittedTurn {
  readonly runId: string;
  /** Starts the run, if no earlier try has. @throws ApiError as `startRun` */
  readonly begin: () => Promise<void>;
}

const LEASE_MS = 15_000;

/**
 * Admits a message once: the same message again finds the run that answers it.
 * @throws ApiError 409 while an earlier try is at work; 422 for another message with the same id
 */
export async function admitTurn(deps: ApiDeps, caller: Caller, { key, wanted }: Turn): Promise<AdmittedTurn> {
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
      throw new ApiError('REQUEST_IN_PROGRESS', 'This message is still being worked on', {
        headers: { 'retry-after': '1' },
      });
    case 'proceed': {
      const runId = admission.resourceId;
      const begin = async (): Promise<void> => {
        await startRun(deps, caller, { id: runId, wanted }).catch(async (error: unknown) => {
          // What is refused at its first try has started nothing, and may be sent again once the reason is gone.
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

import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { RequestKey } from '../../store/idempotency.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { contentHash } from '../http/fingerprints.ts';
import { startRun } from '../runs/start-run.ts';
import type { WantedRun } from '../runs/start-run.ts';
import { admitOnce, withdrawAttempt } from '../http/admission.ts';

/** The run that answers a message: a new run, or the run that an earlier attempt has started. */
interface AdmittedMessage {
  readonly runId: string;
  /** Starts the run unless an earlier attempt has started it. @throws ApiError as `startRun` does */
  readonly begin: () => Promise<void>;
}

const REFUSALS = {
  reused: 'A message with this id, and with another content, came before',
  inProgress: 'This message is still being worked on',
};

/**
 * Admits a message once. If the same message is sent again, it returns the run that answers the first one.
 * @param key the same for all attempts of one message
 * @throws ApiError 409 while an earlier attempt is in progress, 422 for another message with the same id
 */
export async function admitMessage(
  deps: ApiDeps,
  caller: Caller,
  key: string,
  wanted: WantedRun,
): Promise<AdmittedMessage> {
  const { store } = deps;
  const { tenantId, sub: subject } = caller;
  const request: RequestKey = { tenantId, subject, route: 'POST /api/chat', key };
  const admitted = await admitOnce(store, request, contentHash(toJson(wanted)), REFUSALS);
  if (admitted.kind === 'replay') return { runId: runIdIn(admitted.answer.body), begin: async () => undefined };
  const { attempt } = admitted;
  const begin = async (): Promise<void> => {
    await startRun(deps, caller, attempt.id, wanted).catch(async (error: unknown) => {
      // A message that is refused at its first attempt has started nothing, so the client may send it again after
      // correcting it.
      if (error instanceof ApiError && error.status < 500) await withdrawAttempt(store, request, attempt);
      throw error;
    });
    await store.idempotency.keep(request, { status: 200, headers: {}, body: { runId: attempt.id } });
  };
  return { runId: attempt.id, begin };
}

function runIdIn(body: Json): string {
  const runId = isJsonObject(body) ? body['runId'] : undefined;
  if (typeof runId === 'string') return runId;
  throw new TypeError('The answer to a message names no run');
}

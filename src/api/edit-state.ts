import type { JsonObject } from '../graph/json.ts';
import type { RunRecord } from '../store/runs.ts';
import type { Caller } from './authenticate.ts';
import type { ApiDeps, Attempt } from './environment.ts';
import { ApiError, unavailable } from './errors.ts';
import { etagOf } from './read-state.ts';
import { toApiError } from './refusal.ts';
import { sendSignal } from './send-signal.ts';

export interface WantedEdit {
  readonly values: JsonObject;
  readonly asNode?: string | undefined;
  /** The `If-Match` header. */
  readonly ifMatch: string | undefined;
}

/**
 * Corrects the state of a run that waits or is paused.
 * @returns the checkpoint that holds the correction, once the store knows it
 * @throws ApiError 428 without `If-Match`, 412 when the state has changed since, 409 while nodes run
 */
export async function editState(
  deps: ApiDeps,
  caller: Caller,
  { run, attempt, wanted }: { run: RunRecord; attempt: Attempt; wanted: WantedEdit },
): Promise<string> {
  const { values, asNode, ifMatch } = wanted;
  const checkpoint = run.view?.checkpointId ?? null;
  if (ifMatch === undefined)
    throw new ApiError('PRECONDITION_REQUIRED', 'An edit names the state that it corrects: If-Match with its ETag');
  if (ifMatch !== etagOf(run.id, checkpoint)) throw new ApiError('STALE', 'The state has changed since that ETag');
  const payload = { values, ...(asNode !== undefined && { asNode }), ...(checkpoint !== null && { checkpoint }) };
  const outcome = await sendSignal(deps, caller, { run, signal: { name: 'edit', attempt, payload } });
  if (!outcome.taken) throw toApiError(outcome.refusal);
  if (typeof outcome.value !== 'string') throw new TypeError('An edit is answered by its checkpoint');
  return await untilWritten(deps, run.id, outcome.value);
}

const POLL_MS = 20;
const PATIENCE_MS = 10_000;

async function untilWritten({ store }: ApiDeps, runId: string, checkpoint: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if (await store.journal.checkpointChain(runId, checkpoint)) return checkpoint;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw unavailable('The journal');
}

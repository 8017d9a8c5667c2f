import { hideRefusal } from '../../graph/redaction/index.ts';
import type { Refusal } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { toApiError } from '../http/errors.ts';
import { isStateMatched } from '../http/etag.ts';
import { readStateVersion } from './read-state.ts';
import { hiddenFrom, refusePlaceholders } from '../redaction.ts';
import { afterSending, sendSignal } from './send-signal.ts';
import { untilWritten } from './until-run.ts';
import type { RequestAttempt } from '../http/admission.ts';

export interface WantedEdit {
  readonly values: JsonObject;
  readonly asNode?: string | undefined;
  /** The value of the `If-Match` header. */
  readonly ifMatch: string;
  readonly attempt: RequestAttempt;
}

/**
 * Edits the state of a run that waits, is paused or has ended.
 * @returns after the checkpoint of the edit is written
 * @throws ApiError 412 when the state has changed since it was read, 409 while nodes are running, 422 when a redacted
 * placeholder is sent back
 */
export async function editState(deps: ApiDeps, caller: Caller, run: RunRecord, wanted: WantedEdit): Promise<void> {
  const hidden = hiddenFrom(caller, run);
  refusePlaceholders(wanted.values, hidden);
  const newest = await readStateVersion(deps.store, run);
  const refusal = isStateMatched(deps.fingerprints, wanted.ifMatch, run, newest) ? null : STALE;
  const signal = { name: 'edit', attempt: wanted.attempt, payload: toEditPayload(run, wanted), refusal };
  const result = await sendSignal(deps, caller, run, signal);
  if (!result.taken) throw toApiError(hideRefusal(result.refusal, hidden));
  if (typeof result.value !== 'string') throw new TypeError('An edit is answered by its checkpoint');
  const checkpoint = result.value;
  const { changes, checkpoints } = deps.store;
  const read = async () => await checkpoints.find(run.id, checkpoint);
  await afterSending(async () => await untilWritten(changes, run.id, read, () => true));
}

const STALE: Refusal = { code: 'STALE', message: 'The state has changed since that ETag' };

function toEditPayload({ view }: RunRecord, { values, asNode }: WantedEdit): JsonObject {
  const checkpoint = view?.checkpointId ?? null;
  return { values, ...(asNode !== undefined && { asNode }), ...(checkpoint !== null && { checkpoint }) };
}

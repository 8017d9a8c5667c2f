import type { JsonObject } from '../graph/json.ts';
import { isEnded } from '../graph/run.ts';
import type { Outcome } from '../graph/run.ts';
import type { RunRecord } from '../store/runs.ts';
import type { RunGraphInput } from '../workflows/contract.ts';
import type { Caller } from './authenticate.ts';
import type { ApiDeps, Attempt } from './environment.ts';
import { ApiError, unavailable } from './errors.ts';
import { handOver } from './start-run.ts';

interface SignalToSend {
  readonly name: string;
  /** Its id is the decision's: a run takes it once, however often it is sent. */
  readonly attempt: Attempt;
  readonly payload: JsonObject;
}

/**
 * Sends a caller's decision or control to a run and waits for what becomes of it.
 * @throws ApiError 409 when the run has ended, 503 when no worker answers
 */
export async function sendSignal(
  deps: ApiDeps,
  caller: Caller,
  { run, signal }: { run: RunRecord; signal: SignalToSend },
): Promise<Outcome> {
  const { name, payload, attempt } = signal;
  const earlier = await earlierOutcome(deps, run, attempt);
  if (earlier) return earlier;
  if (isEnded(run.status)) throw hasEnded(run);
  await ensureHandedOver(deps, run);
  const by = { sub: caller.sub, roles: [...caller.roles] };
  const outcome = await deps.engine.decide(run, name, { ...payload, decisionId: attempt.id, by });
  if (outcome) return outcome;
  const now = await deps.store.runs.find(run.id);
  throw now && isEnded(now.status) ? hasEnded(now) : unavailable('The run');
}

/** What an earlier try of the same request came to, as far as the run remembers. */
export async function earlierOutcome(
  { engine }: Pick<ApiDeps, 'engine'>,
  run: RunRecord,
  { id, isRepetition }: Attempt,
): Promise<Outcome | null> {
  return isRepetition ? await engine.outcome(run, id) : null;
}

/** A run may have been accepted and not be with Temporal yet. */
async function ensureHandedOver(deps: ApiDeps, run: RunRecord): Promise<void> {
  if (run.isHandedOver) return;
  const start = await deps.store.runs.startOf(run.id);
  if (isStart(start)) await handOver(deps, start);
}

/** What `startRun` has kept. */
export function isStart(value: unknown): value is RunGraphInput {
  return typeof value === 'object' && value !== null && 'interpreterVersion' in value;
}

function hasEnded({ status, view }: RunRecord): ApiError {
  const endedAt = view?.endedAt ?? null;
  return new ApiError('NOT_ALLOWED_NOW', `The run is ${status}${endedAt === null ? '' : ` since ${endedAt}`}`);
}

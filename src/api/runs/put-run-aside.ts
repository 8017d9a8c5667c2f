import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import type { TaskFailureNote } from '../../store/failing-runs.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import type { RunReference } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { FailingTask } from '../temporal/failing-task.ts';
import type { PutAside } from '../temporal/put-aside.ts';
import { endTerminatedRun } from './end-terminated-run.ts';

type PutAsideDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** A run's failing workflow task, and what a worker has noted of it. */
export interface Poisoned {
  readonly task: FailingTask;
  readonly note: TaskFailureNote | null;
}

/** How far it is shown that the run's own code fails the task, and not a worker, its machine or the database. */
export function guiltOf({ task, note }: Poisoned): 'none' | 'some' | 'shown' {
  if (task.last.kind === 'refused') return task.failures >= FEWEST_PROOFS ? 'shown' : 'some';
  if (note?.by !== 'code' || note.executionRunId !== task.executionRunId) return 'none';
  return note.proofs >= FEWEST_PROOFS ? 'shown' : 'some';
}

/** Ends a run at once, without its last steps. Several processes may do so. @throws ApiError 503 */
export async function putRunAside(
  deps: PutAsideDeps,
  run: RunReference,
  { cancel = null, ...poisoned }: Poisoned & Partial<Pick<PutAside, 'cancel'>>,
): Promise<void> {
  const { executionRunId } = poisoned.task;
  const message = messageOf(poisoned);
  const isDone = await deps.engine.putAside({ ...run, executionRunId }, { message, cancel });
  if (isDone) {
    measure('holdfast.runs.put_aside', 1, {});
    deps.logger.warn({ run: run.id, tenant: run.tenantId, message, cancel }, 'a run was put aside');
  }
  await endTerminatedRun(deps, run, Date.now());
}

function messageOf({ task: { failures, last }, note }: Poisoned): string {
  const told = last.kind === 'timed-out' ? 'the workers that had it gave no answer' : last.message;
  const count = Math.max(failures, note?.by === 'code' ? note.proofs : 0);
  const times = count === 1 ? 'once' : `${count} times`;
  const reason = note?.by === 'code' ? note.reason : told;
  return `The run was ended without its last steps: its workflow task failed ${times}: ${reason}`;
}

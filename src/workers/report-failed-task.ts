import { truncate } from '../graph/values/index.ts';
import type { Logger } from '../process/logger.ts';
import type { TaskFailureCause } from '../store/failing-runs.ts';
import type { Store } from '../store/store.ts';
import { measure } from '../telemetry/metrics/meter.ts';
import { fromWorkflowId } from '../workflows/contract.ts';
import type { Culprit, FailedTask } from './workflow-process/task-observer.ts';

interface ReportDeps {
  readonly store: Pick<Store, 'failingRuns'>;
  readonly logger: Logger;
}

const MAX_REASON = 500;

/**
 * Logs and counts failed workflow tasks. Those for which the run may be to blame are noted for the sweeper. A task that
 * waits is logged and noted, and not counted, as it may still be done in time.
 */
export function reportFailedTask({ store, logger }: ReportDeps): (task: FailedTask) => void {
  let count = 0;
  return ({ workflowId, executionRunId, reason: whole, ...culprit }) => {
    const { by } = culprit;
    const run = fromWorkflowId(workflowId);
    const reason = truncate(whole, MAX_REASON);
    const logged = { run: run?.id, tenant: run?.tenantId, workflowId, executionRunId, reason, by };
    if (by === 'queue') logger.warn(logged, 'a workflow task waits for its turn');
    else {
      count += 1;
      measure('holdfast.workflow_task.failures', 1, {});
      logger.warn({ ...logged, count }, 'a workflow task failed');
    }
    const cause = toCause(culprit, reason);
    if (!run || !cause) return;
    store.failingRuns
      .note(run.id, { executionRunId, ...cause })
      .catch((error: unknown) => logger.warn({ error, run: run.id }, 'a failed workflow task could not be noted'));
  };
}

/** @returns `null`: it tells nothing of the run */
function toCause(culprit: Culprit, reason: string): TaskFailureCause | null {
  if (culprit.by === 'worker') return null;
  return culprit.by === 'code' ? { ...culprit, reason } : { by: culprit.by };
}

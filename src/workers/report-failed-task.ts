import { truncate } from '../graph/values/index.ts';
import type { Logger } from '../process/logger.ts';
import type { Store } from '../store/store.ts';
import { measure } from '../telemetry/metrics/meter.ts';
import { fromWorkflowId } from '../workflows/contract.ts';
import type { FailedTask } from './workflow-process/task-observer.ts';

interface ReportDeps {
  readonly store: Pick<Store, 'failingRuns'>;
  readonly logger: Logger;
}

const MAX_REASON = 500;

/** Logs and counts failed workflow tasks. Those for which the run may be to blame are noted for the sweeper. */
export function reportFailedTask({ store, logger }: ReportDeps): (task: FailedTask) => void {
  let count = 0;
  return ({ workflowId, executionRunId, reason: whole, by }) => {
    const run = fromWorkflowId(workflowId);
    const reason = truncate(whole, MAX_REASON);
    count += 1;
    measure('holdfast.workflow_task.failures', 1, {});
    logger.warn(
      { run: run?.id, tenant: run?.tenantId, workflowId, executionRunId, reason, by, count },
      'a workflow task failed',
    );
    if (!run || by === 'worker') return;
    store.failingRuns
      .note(run.id, { executionRunId, ...(by === 'code' ? { by, reason } : { by }) })
      .catch((error: unknown) => logger.warn({ error, run: run.id }, 'a failed workflow task could not be noted'));
  };
}

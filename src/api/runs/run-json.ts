import { NOT_BEGUN } from '../../graph/journal/index.ts';
import type { RunView } from '../../graph/journal/index.ts';
import type { Retrying } from '../../store/ledger.ts';
import type { RunRecord } from '../../store/runs.ts';
import { toWorkflowId } from '../../workflows/contract.ts';

/** Makes the answer for a run. @param view a newer view than the row has, if there is one */
export function toRunJson(run: RunRecord, retrying: readonly Retrying[], view: RunView | null = run.view) {
  const {
    id,
    tenantId,
    graph,
    threadId,
    parentRunId,
    forks,
    replayOf,
    divergence,
    input,
    limits,
    metadata,
    createdBy,
    createdAt,
  } = run;
  const { status, startedAt, endedAt, step, next, waitingFor, output, error, usage } = view ?? NOT_BEGUN;
  return {
    id,
    status,
    graph,
    threadId,
    parentRunId,
    forks,
    replayOf,
    divergence,
    step,
    next,
    waitingFor,
    retrying: endedAt === null ? retrying : [],
    input,
    output,
    error,
    usage,
    limits,
    metadata,
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    workflowId: toWorkflowId({ tenantId, id }),
  };
}

import type { RunView } from '../graph/run-view.ts';
import type { Retrying } from '../store/ledger.ts';
import type { RunRecord } from '../store/runs.ts';
import { toWorkflowId } from '../workflows/contract.ts';

/** A run that has been accepted, and has not written anything yet. */
const NOT_BEGUN: RunView = {
  status: 'queued',
  startedAt: null,
  endedAt: null,
  step: -1,
  next: [],
  waitingFor: [],
  output: null,
  error: null,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 },
  checkpointId: null,
  pending: [],
};

/** A run as the API gives it. @param view the run as it is, where that is newer than what the store has */
export function toRunJson(run: RunRecord, retrying: readonly Retrying[], view: RunView | null = run.view) {
  const { id, tenantId, graph, threadId, parentRunId, input, limits, metadata, createdBy, createdAt } = run;
  const { status, startedAt, endedAt, step, next, waitingFor, output, error, usage } = view ?? NOT_BEGUN;
  return {
    id,
    status,
    graph,
    threadId,
    parentRunId,
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

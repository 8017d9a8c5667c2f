import { NOT_BEGUN_VIEW } from '../../graph/journal/index.ts';
import type { RunView } from '../../graph/journal/index.ts';
import { hideChannels, hideErrorOf, hideOutput, hideRunError, hideWaiting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { RetryingCall } from '../../store/calls/ledger.ts';
import { mapPage } from '../../store/page.ts';
import type { Page } from '../../store/page.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { KeptDivergence } from '../../store/column-values.ts';
import { toWorkflowId } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom, seesPayloads } from '../redaction.ts';

/** Live details of a run that are not stored in its row. */
interface LiveDetails {
  readonly retrying?: readonly RetryingCall[];
  /** A view that is newer than the row's, if there is one. */
  readonly view?: RunView | null;
}

/** Builds the answer for a run, redacted for the caller. */
export function toRunJson(
  run: RunRecord,
  caller: Pick<Caller, 'permissions'>,
  { retrying = [], view }: LiveDetails = {},
) {
  const hidden = hiddenFrom(caller, run);
  const { id, tenantId, graph, threadId, parentRunId, forks, replayOf, divergence, dispatch } = run;
  const { input, limits, metadata, createdBy, createdAt, lastSeq } = run;
  const current = view ?? run.view ?? NOT_BEGUN_VIEW;
  const { status, startedAt, endedAt, step, next, waitingFor, output, error, usage, raisedLimits } = current;
  return {
    id,
    status,
    graph,
    threadId,
    parentRunId,
    forks,
    replayOf,
    divergence: divergence && visibleDivergence(divergence, seesPayloads(caller)),
    step,
    next,
    waitingFor: waitingFor.map((waiting) => hideWaiting(waiting, hidden)),
    retrying: endedAt === null ? retrying.map((call) => hideFailure(call, hidden)) : [],
    pending: dispatch.kind === 'pending' ? dispatch.problem : null,
    input: hideChannels(input, hidden),
    output: hideOutput(output, hidden),
    error: error && hideRunError(error, hidden),
    usage,
    limits: { ...limits, ...toJsonObject(raisedLimits) },
    metadata,
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    lastSeq,
    workflowId: toWorkflowId({ tenantId, id }),
  };
}

function hideFailure(call: RetryingCall, hidden: Redaction): RetryingCall {
  const { node, lastError } = call;
  return { ...call, lastError: lastError && hideErrorOf({ ...lastError, node }, hidden) };
}

function visibleDivergence({ redacted, ...whole }: KeptDivergence, isWhole: boolean) {
  return isWhole ? whole : { seq: whole.seq, ...redacted };
}

/** Builds the answer for a page of runs with their calls that are being retried, redacted for the caller. */
export async function toRunPage(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  page: Page<RunRecord>,
): Promise<Page<ReturnType<typeof toRunJson>>> {
  const open = page.items.filter(({ status }) => !isEnded(status)).map(({ id }) => id);
  const retrying = await store.ledger.retryingOf(open);
  return mapPage(page, (run) => toRunJson(run, caller, { retrying: retrying.get(run.id) ?? [] }));
}

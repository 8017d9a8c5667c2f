import { INTERPRETER_VERSION } from '../../graph/definition/index.ts';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Beginning, RunIdentity } from '../../graph/advance/index.ts';
import { traceOfStart } from '../../telemetry/traces/traceparent.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { PinnedGraph } from './pinned-graph.ts';

/** The fields of a new run that do not follow from its graph; by default it has no thread. */
export interface RunOrigin
  extends
    Pick<NewRun, 'input' | 'metadata' | 'createdBy'>,
    Partial<Pick<NewRun, 'threadId' | 'onBusy' | 'parentRunId' | 'replay' | 'limits'>> {
  readonly identity: RunIdentity;
  readonly begin: Beginning;
}

/** Builds the row of a new run, with its workflow's input. */
export function newRun(pinned: PinnedGraph, { identity, begin, ...origin }: RunOrigin): NewRun {
  const { given, definition, catalog, limits, redaction } = pinned;
  const { id, tenantId, graph } = identity;
  const trace = traceOfStart({ id, tenantId, graph: graph.name, threadId: identity.threadId });
  const start: RunGraphInput = {
    interpreterVersion: INTERPRETER_VERSION,
    execution: 1,
    identity,
    definition,
    catalog,
    begin,
    ...(trace && { trace }),
  };
  return {
    id,
    tenantId,
    graph,
    definition: given,
    threadId: null,
    onBusy: 'reject',
    parentRunId: null,
    replay: null,
    limits: toJsonObject(limits.readable),
    redaction,
    createdAt: new Date().toISOString(),
    start: toJson(start),
    ...origin,
  };
}

/** Builds the identity of a caller's run. */
export function newIdentity(
  { graph, limits: { limits } }: PinnedGraph,
  caller: Caller,
  run: Pick<RunIdentity, 'id' | 'tenantId' | 'threadId'>,
): RunIdentity {
  return { ...run, graph, createdBy: toPrincipal(caller), limits };
}

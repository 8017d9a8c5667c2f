import type { RunIdentity, RunStart } from '../graph/advance.ts';
import type { Catalog } from '../graph/catalog.ts';
import type { GraphDefinition } from '../graph/definition.ts';
import type { JsonObject } from '../graph/json.ts';
import type { ForkStart } from '../graph/fork.ts';
import type { Run } from '../graph/run.ts';

/** What the workflow and its callers agree on. */
export const RUN_GRAPH = 'runGraph';
export const TASK_QUEUE = 'holdfast';

/** Summaries that Temporal shows, in characters; the server takes 400 bytes. */
export const MAX_SUMMARY = 100;

/** The workflow id of a run. It holds no slash: Temporal's HTTP API and proxies trip over them. */
export function toWorkflowId({ tenantId, id }: Pick<RunIdentity, 'tenantId' | 'id'>): string {
  return `run:${tenantId}:${id}`;
}

/** What a run is started with: everything that it pins for its life. */
export interface RunGraphInput {
  /** Which interpreter the run began under. */
  readonly interpreterVersion: 1;
  /** Goes up each time that the run goes on after it had ended. */
  readonly execution: number;
  readonly identity: RunIdentity;
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly begin: Beginning;
}

/** What a workflow begins with: an input, the state of another run, or the run that had ended and a signal for it. */
export type Beginning =
  | ({ readonly kind: 'input' } & Omit<RunStart, 'startedAt'>)
  | ({ readonly kind: 'fork'; readonly fork: ForkStart } & Pick<RunStart, 'breakpoints'>)
  | { readonly kind: 'reopen'; readonly run: Run; readonly name: string; readonly payload: JsonObject };

export const QUERIES = {
  state: 'state',
  history: 'history',
  approvals: 'approvals',
  status: 'status',
  outcome: 'outcome',
} as const;

/** Search attributes of a run, by name and Temporal's type. Their types are fixed when they are first registered. */
export const SEARCH_ATTRIBUTES = {
  TenantId: 'KEYWORD',
  GraphName: 'KEYWORD',
  GraphVersion: 'INT',
  RunStatus: 'KEYWORD',
  ThreadId: 'KEYWORD',
  PendingApprovals: 'INT',
} as const;

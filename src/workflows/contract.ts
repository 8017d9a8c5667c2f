import type { Beginning, RunIdentity } from '../graph/advance/index.ts';
import type { Catalog, GraphDefinition } from '../graph/definition/index.ts';
import type { CallEffect, KeptRun, SentSignal } from '../graph/run/index.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import type { JournalEntries } from './outbox.ts';

/** What the workflow and its callers agree on. */
export const RUN_GRAPH = 'runGraph';
export const TASK_QUEUE = 'holdfast';

/** A signal to the workflow, not to its run: go on under the worker version that is current, once no call is out. */
export const UPGRADE = 'upgrade';

/** Summaries that Temporal shows, in characters; the server takes 400 bytes. */
export const MAX_SUMMARY = 100;

/** Which run of whom. */
export interface RunReference {
  readonly tenantId: string;
  readonly id: string;
}

/** The workflow id of a run. It holds no slash: Temporal's HTTP API and proxies trip over them. */
export function toWorkflowId({ tenantId, id }: RunReference): string {
  return `run:${tenantId}:${id}`;
}

/** The run of a workflow id. @returns `null`: it is no run's */
export function fromWorkflowId(workflowId: string): RunReference | null {
  const [, tenantId, id] = /^run:(.+):([^:]+)$/s.exec(workflowId) ?? [];
  return tenantId !== undefined && id !== undefined ? { tenantId, id } : null;
}

/** What a run is started with: everything that it pins for its life. */
export interface RunGraphInput {
  /** The oldest interpreter that may run it: the newest that whoever started it knew. */
  readonly interpreterVersion: number;
  /** Goes up each time that the run goes on after it had ended. */
  readonly execution: number;
  readonly identity: RunIdentity;
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly begin: Beginning;
  /** What the run was told while it waited for its turn; it takes them in before anything else. */
  readonly queuedSignals?: readonly SentSignal[];
}

/** Tells what a run is started with from other values that a row may hold. */
export function isStart(value: unknown): value is RunGraphInput {
  return typeof value === 'object' && value !== null && 'interpreterVersion' in value;
}

/** What the workflow takes: a run that begins, or one whose execution before has handed it over. */
export type WorkflowInput = Omit<RunGraphInput, 'begin'> & { readonly begin: Beginning | Continuation };

/** What one execution of a run hands over to the next, when its history has grown too long. */
export interface Continuation {
  readonly kind: 'continue';
  readonly run: KeptRun;
  /** Calls that the run wants and that have not been made. */
  readonly deferredCalls: readonly CallEffect[];
  /** What the store does not know yet. */
  readonly pendingEntries: JournalEntries;
  readonly latestEvents: readonly RunEvent[];
  /** The interpreter has more to do at once. */
  readonly hasYielded: boolean;
}

/** What a query answers instead of what is too large for it. */
export interface TooLarge {
  readonly truncated: true;
  readonly bytes: number;
  readonly message: string;
}

export function isTooLarge(answer: unknown): answer is TooLarge {
  return typeof answer === 'object' && answer !== null && 'truncated' in answer && answer.truncated === true;
}

export const QUERIES = {
  state: 'state',
  history: 'history',
  approvals: 'approvals',
  status: 'status',
  outcome: 'outcome',
} as const;

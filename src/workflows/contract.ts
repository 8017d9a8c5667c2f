import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { RunBeginning, ForkStart, RunIdentity } from '../graph/advance/index.ts';
import type { Catalog, GraphDefinition } from '../graph/definition/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { isPrincipal, statusOf } from '../graph/run/index.ts';
import type { Breakpoints, CallEffect, StoredRun, SentSignal, Run } from '../graph/run/index.ts';
import type { RunEvent, TracedRun } from '../graph/journal/index.ts';
import {
  isExactly,
  isJsonObject,
  isListOf,
  isNumber,
  isObjectOf,
  isText,
  orAbsent,
  orNull,
} from '../graph/values/index.ts';
import type { Guard, JsonObject } from '../graph/values/index.ts';
import type { JournalEntries } from './outbox.ts';
import type { SegmentsState } from './segments.ts';

/** Names on which the workflow and its callers agree. */
export const RUN_GRAPH = 'runGraph';
export const TASK_QUEUE = 'holdfast';

/** A signal to the workflow, not to its run: continue under the current worker version once no call is open. */
export const UPGRADE = 'upgrade';

/** The header of a signal with the `traceparent` of the request that has sent it. */
export const TRACE_HEADER = 'traceparent';

/** The maximum length of summaries in Temporal, in characters; the server accepts 400 bytes. */
export const MAX_SUMMARY = 100;

/** The beginning of the message of a query that failed because its worker replays the run. It may be repeated. */
export const PLAYED_ANEW = 'The worker plays the run anew';

/** A run id with its tenant. */
export interface RunReference {
  readonly tenantId: string;
  readonly id: string;
}

/** The workflow id of a run. It contains no slash: Temporal's HTTP API and proxies do not accept one. */
export function toWorkflowId({ tenantId, id }: RunReference): string {
  return `run:${tenantId}:${id}`;
}

/** Parses a workflow id. @returns `null` if it belongs to no run */
export function fromWorkflowId(workflowId: string): RunReference | null {
  const [, tenantId, id] = /^run:(.+):([^:]+)$/s.exec(workflowId) ?? [];
  return tenantId !== undefined && id !== undefined ? { tenantId, id } : null;
}

/** The workflow's input: all data that a run pins for its lifetime. */
export interface RunGraphInput {
  /** The oldest interpreter that may execute the run: the newest one known where the run was started. */
  readonly interpreterVersion: number;
  /** Increases each time that the run is reopened after its end. */
  readonly execution: number;
  readonly identity: RunIdentity;
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly begin: RunBeginning;
  /** The values that are hidden from most people; absent if nothing is hidden. */
  readonly redaction?: Redaction;
  /** Absent if the run is not traced. */
  readonly trace?: TracedRun;
  /** Signals that were sent before the run began. It processes them first. */
  readonly queuedSignals?: readonly SentSignal[];
}

/** Accepts any object, because its content was validated before it was stored. */
const isStored = <T extends object>(value: unknown): value is T => isJsonObject(value);

const isTextList = isListOf(isText);
const isBreakpoints = isObjectOf<Breakpoints>({ before: isTextList, after: isTextList });

type BeginningOf<Kind extends RunBeginning['kind']> = Extract<RunBeginning, { readonly kind: Kind }>;

const BEGINNING_GUARDS: { readonly [Kind in RunBeginning['kind']]: Guard<BeginningOf<Kind>> } = {
  input: isObjectOf<BeginningOf<'input'>>({
    kind: isExactly('input'),
    input: isStored<JsonObject>,
    startAt: orAbsent(orNull(isText)),
    breakpoints: orAbsent(isBreakpoints),
    base: orAbsent(isStored<JsonObject>),
  }),
  fork: isObjectOf<BeginningOf<'fork'>>({
    kind: isExactly('fork'),
    fork: isStored<ForkStart>,
    breakpoints: orAbsent(isBreakpoints),
  }),
  reopen: isObjectOf<BeginningOf<'reopen'>>({
    kind: isExactly('reopen'),
    run: isObjectOf<StoredRun>({ format: isNumber }),
    name: isText,
    payload: isStored<JsonObject>,
  }),
};

function isBeginning(value: unknown): value is RunBeginning {
  return Object.values(BEGINNING_GUARDS).some((isOfKind) => isOfKind(value));
}

/** Validates the stored input of a run. */
export const isStart: Guard<RunGraphInput> = isObjectOf<RunGraphInput>({
  interpreterVersion: isNumber,
  execution: isNumber,
  identity: isObjectOf<RunIdentity>({
    id: isText,
    tenantId: isText,
    threadId: orNull(isText),
    graph: isObjectOf<RunIdentity['graph']>({ name: isText, version: orNull(isNumber), hash: isText }),
    createdBy: isPrincipal,
    limits: isStored<RunIdentity['limits']>,
  }),
  definition: isStored<GraphDefinition>,
  catalog: isStored<Catalog>,
  begin: isBeginning,
  redaction: orAbsent(isStored<Redaction>),
  trace: orAbsent(
    isObjectOf<TracedRun>({
      parent: isText,
      graph: isText,
      threadId: orNull(isText),
      isRedacted: orAbsent(isExactly(true)),
    }),
  ),
  queuedSignals: orAbsent(
    isListOf(
      isObjectOf<SentSignal>({ name: isText, payload: isObjectOf<SentSignal['payload']>({ signalId: isText }) }),
    ),
  ),
});

/** The input of one execution: a run that begins, or the state from the previous execution. */
export type WorkflowInput = Omit<RunGraphInput, 'begin'> & { readonly begin: RunBeginning | ExecutionContinuation };

/** State that an execution passes to the next one when its history is too long. */
export interface ExecutionContinuation {
  readonly kind: 'continue';
  readonly run: StoredRun;
  /** Requested calls that have not been made. */
  readonly deferredCalls: readonly CallEffect[];
  /** Entries that are not stored yet. */
  readonly pendingEntries: JournalEntries;
  readonly latestEvents: readonly RunEvent[];
  /** True if the interpreter has yielded and waits for `continue`. */
  readonly hasYielded: boolean;
  /** Absent if the run is not traced. */
  readonly segments?: SegmentsState;
}

/** The answer that replaces a too large answer of a query. */
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
  signalResult: 'signalResult',
} as const;

/** Names and Temporal types of a run's search attributes. A type is fixed once its name is registered. */
export const SEARCH_ATTRIBUTES = {
  TenantId: 'KEYWORD',
  GraphName: 'KEYWORD',
  GraphVersion: 'INT',
  RunStatus: 'KEYWORD',
  ThreadId: 'KEYWORD',
  PendingApprovals: 'INT',
} as const;

const keywordAttribute = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const tenantId = keywordAttribute('TenantId');
const graphName = keywordAttribute('GraphName');
const threadId = keywordAttribute('ThreadId');
const runStatus = keywordAttribute('RunStatus');
const graphVersion = defineSearchAttributeKey('GraphVersion', SearchAttributeType.INT);
const pendingApprovals = defineSearchAttributeKey('PendingApprovals', SearchAttributeType.INT);

/** Returns the search attributes at the start of a run. */
export function attributesAtStart({ tenantId: tenant, threadId: thread, graph }: RunIdentity): TypedSearchAttributes {
  const { name, version } = graph;
  return new TypedSearchAttributes([
    { key: tenantId, value: tenant },
    { key: graphName, value: name },
    ...(version === null ? [] : [{ key: graphVersion, value: version }]),
    ...(thread === null ? [] : [{ key: threadId, value: thread }]),
    { key: runStatus, value: 'running' },
    { key: pendingApprovals, value: 0 },
  ]);
}

/** Returns the search attributes that change, with a key that changes with them. Each update adds an event to the history. */
export function searchAttributesOf(run: Run): {
  readonly key: string;
  readonly attributes: SearchAttributeUpdatePair[];
} {
  const status = statusOf(run);
  const pending = Object.values(run.approvals).filter((approval) => approval.status === 'pending').length;
  return {
    key: summaryKey(status, pending),
    attributes: [
      { key: runStatus, value: status },
      { key: pendingApprovals, value: pending },
    ],
  };
}

/** Returns the key of an execution's search attributes at its start. */
export function keyAtStart(attributes: TypedSearchAttributes): string {
  return summaryKey(attributes.get(runStatus), attributes.get(pendingApprovals));
}

function summaryKey(status: string | undefined, pending: number | undefined): string {
  return `${status} ${pending}`;
}

import { signalEndedRun, driveRun } from '../../../src/graph/advance/advance.ts';
import type { AdvanceResult } from '../../../src/graph/advance/advance.ts';
import { forkRun, startRun } from '../../../src/graph/advance/begin-run.ts';
import type { RunIdentity } from '../../../src/graph/advance/begin-run.ts';
import { compileShared } from '../../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../../src/graph/compile/compile.ts';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { Checkpoint } from '../../../src/graph/journal/resume-point.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import type { Approval } from '../../../src/graph/run/approval.ts';
import { approvalsToInherit, closedApprovals } from '../../../src/graph/run/earlier-approvals.ts';
import type {
  CallEffect,
  CallReply,
  FunctionCallRequest,
  ModelCallRequest,
  ModelReply,
  LocalEffect,
  NodeCallRequest,
  ReadingRequest,
  OverflowReply,
  ToolCallRequest,
} from '../../../src/graph/run/effect.ts';
import { limitsOfGraph } from '../../../src/graph/run/limits.ts';
import type { RunLimits } from '../../../src/graph/run/limits.ts';
import type { Occurrence, OccurrenceBody, Refusal } from '../../../src/graph/run/occurrence.ts';
import type { Principal } from '../../../src/graph/run/principal.ts';
import type { RunErrorCode } from '../../../src/graph/values/errors.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { forkStartAt, asReadFromStore } from '../builders/stored.ts';
import type { ForkOptions } from '../builders/stored.ts';
import { shown } from '../readers/shown-run.ts';
import type { ShownRun } from '../readers/shown-run.ts';

/*
 * Runs a graph in memory: the interpreter with a synchronous outside instead of Temporal. A loop replaces the
 * activities, timers and signals of the workflow. Time advances by one millisecond for each occurrence.
 */

/** Answers the calls and approvals of a run. A call without an answer is an error of the test, and throws. */
export interface Outside {
  /** Returns a text, or a complete reply. */
  readonly model?: (request: ModelCallRequest, key: string) => string | ModelReply | OverflowReply;
  readonly tool?: (request: ToolCallRequest, key: string) => Json;
  readonly function?: (request: FunctionCallRequest, key: string) => Json;
  readonly node?: (request: NodeCallRequest, key: string) => Json;
  /** Returns the arguments as read by a tool's own schema. */
  readonly reading?: (request: ReadingRequest, key: string) => Json;
  /** Returns the index of the open call that completes next, by default the first; `null` if none does. */
  readonly next?: (calls: readonly CallEffect[]) => number | null;
  /** `null` leaves the approval pending. */
  readonly approval?: (approval: Approval) => Answer | null;
}

/** The decision of a person on an approval. */
export interface Answer {
  readonly decision: 'approve' | 'reject';
  readonly by?: Principal;
  readonly reason?: string;
  readonly args?: Json;
  readonly values?: Json;
}

/** The final failure of a call, thrown by an outside; it optionally states whether the call was made. */
export class CallFailure extends Error {
  readonly code: RunErrorCode;
  readonly callFailed: boolean;

  constructor(code: RunErrorCode, message: string, callFailed = code !== 'UNKNOWN_OUTCOME') {
    super(message);
    this.code = code;
    this.callFailed = callFailed;
  }
}

/** A run that has ended, or waits for a person, a signal or a timer. */
export interface MemoryRun {
  readonly run: ShownRun;
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** The nodes of each superstep so far. */
  readonly steps: readonly (readonly string[])[];
  /** The open calls, in the order of their effects. */
  readonly out: readonly CallEffect[];
  /** Sends a signal, such as `retry`, and continues until the run ends or waits. */
  signal(name: string, payload: Json): void;
  /**
   * Advances the time and fires the timers that are due.
   * @param before sends occurrences that come first in the same task
   */
  passTime(ms: number, before?: () => void): void;
  /** Reopens the ended run by a signal, as read from the store, and continues until it ends or waits. */
  reopen(name: string, payload?: JsonObject): void;
  /**
   * Starts a fork at a checkpoint with the same outside.
   * @returns the fork when it has ended or waits, or its refusal
   */
  fork(checkpoint: string, forking?: ForkOptions): MemoryRun | Refusal;
}

export interface MemoryStart {
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly input: JsonObject;
  /** Limits of the run, within those of its graph. */
  readonly limits?: Partial<RunLimits>;
}

const STARTED_AT = Date.parse('2026-01-02T03:04:05.000Z');
const REQUESTER: Principal = { sub: 'uma', roles: ['user'] };
const APPROVER: Principal = { sub: 'ada', roles: ['approver'] };

/** Starts a run and returns it when it has ended or waits. */
export function runInMemory({ definition, catalog, input, limits }: MemoryStart, outside: Outside): MemoryRun {
  const graph = compileShared(definition, catalog);
  const identity = identityOf('run-1', graph, limits);
  return openMemoryRun(openShell(graph, startRun(graph, identity, { input, startedAt: STARTED_AT })), outside);
}

function identityOf(id: string, { definition, catalog }: CompiledGraph, limits: Partial<RunLimits> = {}): RunIdentity {
  return {
    id,
    tenantId: 'acme',
    threadId: null,
    graph: { name: definition.name, version: null, hash: 'in-memory' },
    createdBy: REQUESTER,
    limits: { ...limitsOfGraph(definition.limits, catalog.defaults), ...limits },
  };
}

function openMemoryRun(shell: Shell, outside: Outside): MemoryRun {
  settle(shell, outside);
  return {
    get run() {
      return shown(shell.last.run);
    },
    get out() {
      return shell.calls.filter(({ key }) => Object.hasOwn(shell.last.run.calls, key));
    },
    events: shell.events,
    checkpoints: shell.checkpoints,
    get steps() {
      return shell.events.flatMap((event) => (event.type === 'step.started' ? [event.nodes] : []));
    },
    signal(name, payload) {
      settle(shell, outside, [{ kind: 'signal', name, payload }]);
    },
    passTime(ms, before = () => undefined) {
      shell.now += ms;
      before();
      settle(shell, outside, dueTimers(shell));
    },
    reopen(name, payload = {}) {
      shell.now += 1;
      const stored = asReadFromStore(shell.last.run, shell);
      absorb(shell, signalEndedRun(shell.graph, stored, { now: shell.now, name, payload }));
      settle(shell, outside);
    },
    fork(checkpoint, forking = {}) {
      const graph = forking.graph ? compileShared(forking.graph, shell.graph.catalog) : shell.graph;
      const { parent, ...start } = forkStartAt(checkpoint, forking, shell);
      const { approvals, parent: inherited } = shell.last.run;
      const closed = approvalsToInherit(closedApprovals(Object.values(approvals)), inherited?.closedApprovals);
      const fork = { ...start, parent: { ...parent, closedApprovals: closed } };
      const identity = { ...identityOf(`fork-of-${checkpoint}`, graph), createdBy: forking.by ?? REQUESTER };
      const first = forkRun(graph, identity, { fork, startedAt: shell.now + 1 });
      return 'code' in first ? first : openMemoryRun(openShell(graph, first), outside);
    },
  };
}

interface Shell {
  readonly graph: CompiledGraph;
  last: AdvanceResult;
  now: number;
  isDriven: boolean;
  /** Occurrences that the interpreter has not processed yet. */
  readonly inbox: OccurrenceBody[];
  /** Calls that are not made yet, in order. */
  calls: readonly CallEffect[];
  /** Approvals that were passed to the outside in their current state. */
  readonly asked: Set<string>;
  readonly events: RunEvent[];
  readonly checkpoints: Checkpoint[];
}

function openShell(graph: CompiledGraph, first: AdvanceResult): Shell {
  const shell: Shell = {
    graph,
    last: first,
    now: STARTED_AT,
    isDriven: false,
    inbox: [],
    calls: [],
    asked: new Set(),
    events: [],
    checkpoints: [],
  };
  absorb(shell, first);
  return shell;
}

function absorb(shell: Shell, step: AdvanceResult): void {
  shell.last = step;
  shell.calls = [...shell.calls, ...step.effects.filter((effect) => effect.kind === 'call')];
  shell.events.push(...step.events);
  shell.checkpoints.push(...step.checkpoints);
}

/** Continues until the outside has no more answers. The outside may send signals while it answers. */
function settle(shell: Shell, outside: Outside, given: readonly OccurrenceBody[] = []): void {
  const { inbox } = shell;
  inbox.push(...given);
  if (shell.isDriven) return;
  const next = (): Occurrence | null => {
    if (inbox.length === 0) inbox.push(...nextOccurrences(shell, outside));
    const body = inbox.shift();
    return body ? { ...body, at: (shell.now += 1) } : null;
  };
  shell.isDriven = true;
  for (const step of driveRun(shell.graph, shell.last, next)) absorb(shell, step);
  shell.isDriven = false;
}

function nextOccurrences(shell: Shell, outside: Outside): OccurrenceBody[] {
  const { run, hasYielded } = shell.last;
  if (hasYielded) return [{ kind: 'continue' }];
  shell.calls = shell.calls.filter(({ key }) => Object.hasOwn(run.calls, key));
  const at = shell.calls.length === 0 ? null : (outside.next ?? FIRST)(shell.calls);
  const call = at === null ? undefined : shell.calls[at];
  if (!call) return nextDecision(shell, outside);
  shell.calls = shell.calls.filter((other) => other !== call);
  return [perform(call, outside)];
}

const FIRST = (): number => 0;

function perform({ key, request }: CallEffect, outside: Outside): OccurrenceBody {
  try {
    return { kind: 'call.completed', key, reply: replyTo(request, key, outside), attempts: 1, durationMs: 1 };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const { code, message, callFailed } = error;
    return { kind: 'call.failed', key, failure: { callFailed, error: { code, message } } };
  }
}

function replyTo(request: CallEffect['request'], key: string, outside: Outside): CallReply {
  return request.kind === 'model'
    ? toModelReply((outside.model ?? notExpected)(request, key))
    : { kind: 'value', value: valueOf(request, key, outside) };
}

function valueOf(request: LocalEffect['request'], key: string, outside: Outside): Json {
  switch (request.kind) {
    case 'tool':
      return (outside.tool ?? notExpected)(request, key);
    case 'function':
      return (outside.function ?? notExpected)(request, key);
    case 'node':
      return (outside.node ?? notExpected)(request, key);
    case 'reading':
      return (outside.reading ?? notExpected)(request, key);
  }
}

function notExpected({ kind }: CallEffect['request']): never {
  throw new Error(`The run calls a ${kind}, and the test has nothing that answers`);
}

function toModelReply(given: string | ModelReply | OverflowReply): ModelReply | OverflowReply {
  if (typeof given !== 'string') return given;
  const usage = { inputTokens: 10, outputTokens: 5 };
  return { kind: 'model', text: given, toolCalls: [], finishReason: 'stop', usage };
}

function nextDecision({ last: { run }, asked }: Shell, { approval: decide }: Outside): OccurrenceBody[] {
  for (const approval of Object.values(run.approvals)) {
    const version = `${approval.id} ${approval.decisions.length}`;
    if (approval.status !== 'pending' || asked.has(version)) continue;
    asked.add(version);
    const answer = decide?.(approval);
    if (answer) return [toSignal(approval.id, answer)];
  }
  return [];
}

function toSignal(approvalId: string, { decision, by = APPROVER, ...content }: Answer): OccurrenceBody {
  const payload = { approvalId, by: { sub: by.sub, roles: by.roles }, ...content };
  return { kind: 'signal', name: decision, payload };
}

function dueTimers({ last: { run }, now }: Shell): OccurrenceBody[] {
  const due = Object.entries(run.timers).filter(([, { fireAt }]) => fireAt <= now);
  return due.sort(([, a], [, b]) => a.fireAt - b.fireAt).map(([id]) => ({ kind: 'timer', id }));
}

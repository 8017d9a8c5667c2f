import type { UpdateByChannel } from '../channels/channel.ts';
import { countdownEnd } from '../run/limits.ts';
import type { Countdown } from '../run/limits.ts';
import { callKey, compensationKey, executionKey, interventionId, unknownCompensationId } from '../run/ids.ts';
import type { ExecutionPath } from '../run/ids.ts';
import type { Run } from '../run/run.ts';
import { nextNodes, tasksOfScope } from '../run/scope-position.ts';
import type { Scope, NodeTask, WaitPosition, VisibleCall } from '../run/scope.ts';
import { awaitedPerson, isEnded, statusOf, undoneWork } from '../run/status.ts';
import type { RunStatus } from '../run/status.ts';
import { batchAtPosition, scopeInside, isFinished } from '../run/task-position.ts';
import type { BatchCall } from '../run/tool-batch.ts';
import type { UndoneWork } from '../run/compensation.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { formatTimestamp, parseTimestamp } from '../values/time.ts';
import { remainingBytes } from '../values/json-size.ts';

/** The part of a run that the API returns and only the interpreter knows, as of the last written event. */
export interface RunView {
  readonly status: RunStatus;
  /** RFC 3339. */
  readonly startedAt: string | null;
  /** RFC 3339. */
  readonly endedAt: string | null;
  /** The open or the last superstep; -1 before the first. */
  readonly step: number;
  readonly next: readonly string[];
  readonly waitingFor: readonly WaitingFor[];
  readonly output: Json;
  readonly error: RunError | null;
  readonly usage: Usage;
  /** The limits that retries have set, which replace those of the start. */
  readonly raisedLimits: Run['raisedLimits'];
  /** Absent if the run has none, or has ended. */
  readonly deadline?: RunDeadline;
  /** RFC 3339; absent if the run is not paused. */
  readonly pausedAt?: string;
  readonly checkpointId: string | null;
  /** The finished tasks of the open superstep. */
  readonly pending: readonly PendingTask[];
  /** Absent if none of the run's work is undone or about to be undone. */
  readonly undone?: UndoneWork;
}

/** The deadline of a run. */
export interface RunDeadline {
  /** RFC 3339; `null` while the countdown is stopped because the run only waits for people. */
  readonly at: string | null;
  /** Milliseconds left when the countdown last started or stopped. */
  readonly leftMs: number;
}

/** A thing that a run waits for. */
export type WaitingFor = Intervention | AwaitedItem;

interface AwaitedItem {
  readonly kind: 'approval' | 'event' | 'timer';
  readonly node: string;
  readonly id?: string;
  /** RFC 3339. */
  readonly since: string;
  /** RFC 3339; absent if there is none. */
  readonly deadline?: string;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
}

/** A finished task of the open superstep. */
export interface PendingTask {
  readonly node: string;
  readonly index?: number;
  /**
   * The values that the task will write; absent if the event of its completion contains them, so this view stays small.
   */
  readonly update?: UpdateByChannel;
}

/** The view of an accepted run that has not written anything yet. */
export const NOT_BEGUN_VIEW: RunView = {
  status: 'queued',
  startedAt: null,
  endedAt: null,
  step: -1,
  next: [],
  waitingFor: [],
  output: null,
  error: null,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 },
  raisedLimits: {},
  checkpointId: null,
  pending: [],
};

export function toRunView(run: Run): RunView {
  const { startedAt, root, phase, spent, raisedLimits, checkpointId } = run;
  const status = statusOf(run);
  const undone = undoneWork(run);
  const { inputTokens, outputTokens, modelCalls, toolCalls, costMicros } = spent;
  return {
    status,
    startedAt: formatTimestamp(startedAt),
    endedAt: 'endedAt' in phase ? formatTimestamp(phase.endedAt) : null,
    step: root.at.kind === 'running' ? root.step : root.step - 1,
    next: nextNodes(root),
    waitingFor: isEnded(status) ? [] : waitingItems(run),
    output: phase.kind === 'completed' ? phase.output : null,
    error: phase.kind === 'failed' || phase.kind === 'canceled' ? phase.error : null,
    usage: { inputTokens, outputTokens, modelCalls, toolCalls, costUsd: costMicros / 1_000_000 },
    raisedLimits,
    ...(run.countdown && !isEnded(status) && { deadline: toRunDeadline(run.countdown) }),
    ...(phase.kind === 'paused' && { pausedAt: formatTimestamp(phase.since) }),
    checkpointId,
    pending: pendingTasks(root),
    ...(undone && { undone }),
  };
}

function toRunDeadline(countdown: Countdown): RunDeadline {
  const at = countdownEnd(countdown);
  return { at: at === null ? null : formatTimestamp(at), leftMs: countdown.leftMs };
}

/** If a run's compensation waits for a person, the run waits for nothing else. */
function waitingItems(run: Run): WaitingFor[] {
  const awaited = awaitedPerson(run);
  if (!awaited) return waitingItemsOfScope(run, run.root, []);
  const { compensation } = awaited;
  if (awaited.kind === 'asked') return pendingApproval(run, compensation.task.node, awaited.approvalId);
  const { error, since } = awaited;
  const { key, task, request } = compensation;
  const { node, index } = task;
  const call = { key: compensationKey(key), tool: request.tool, args: request.args };
  const id = unknownCompensationId(task);
  return [toIntervention({ of: 'compensation', id, node, ...(index !== undefined && { index }), since, error, call })];
}

function waitingItemsOfScope(run: Run, scope: Scope, path: ExecutionPath): WaitingFor[] {
  const found: WaitingFor[] = [];
  for (const task of tasksOfScope(scope)) found.push(...waitingItemsOfTask(run, task, path));
  return found;
}

function waitingItemsOfTask(run: Run, task: NodeTask, path: ExecutionPath): readonly WaitingFor[] {
  const { node, state } = task;
  if (state.phase === 'intervention') {
    const { since, call, failure } = state;
    const id = interventionId(path, task, null);
    return [toIntervention({ of: 'node', id, ...taskLocation(task), since, error: failure.error, call })];
  }
  if (state.phase !== 'open') return [];
  const { position } = state;
  switch (position.kind) {
    case 'failing':
      return [];
    case 'wait':
      return [waitingForWait(node, position)];
    case 'approval':
      return pendingApproval(run, node, position.approvalId);
    default: {
      const inside = scopeInside(position);
      return [
        ...batchAtPosition(position).flatMap((call) => callWaitingFor(run, task, path, call)),
        ...(inside ? waitingItemsOfScope(run, inside, [...path, executionKey(task)]) : []),
      ];
    }
  }
}

/** @param path the execution keys of the subgraph tasks around the task */
function callWaitingFor(run: Run, task: NodeTask, path: ExecutionPath, called: BatchCall): WaitingFor[] {
  const { number, tool, args, state } = called;
  if (state.phase === 'asked') return pendingApproval(run, task.node, state.approvalId);
  if (state.phase !== 'intervention') return [];
  const { since, failure } = state;
  const call = { key: callKey(run.id, path, task, number), tool, args };
  const id = interventionId(path, task, number);
  return [toIntervention({ of: 'call', id, ...taskLocation(task), since, error: failure.error, call })];
}

function taskLocation({ node, index }: NodeTask): { readonly node: string; readonly index?: number } {
  return { node, ...(index !== null && { index }) };
}

function waitingForWait(node: string, position: WaitPosition): WaitingFor {
  const { event, since } = position;
  const deadline = waitsUntil(position);
  const kind = event === null ? 'timer' : 'event';
  return { kind, node, ...(event !== null && { id: event }), since, ...(deadline !== null && { deadline }) };
}

/** Returns the time of the timer or of the node's deadline, whichever is earlier; `null` if there is neither. */
function waitsUntil({ deadline, countdown }: WaitPosition): string | null {
  const failsAt = countdown ? countdownEnd(countdown) : null;
  if (failsAt === null) return deadline;
  const firesAt = deadline === null ? null : parseTimestamp(deadline);
  return firesAt !== null && firesAt <= failsAt ? deadline : formatTimestamp(failsAt);
}

function pendingApproval(run: Run, node: string, approvalId: string): WaitingFor[] {
  const approval = own(run.approvals, approvalId);
  if (approval?.status !== 'pending') return [];
  return [{ kind: 'approval', node, id: approval.id, since: approval.requestedAt, deadline: approval.expiresAt }];
}

function pendingTasks(scope: Scope): PendingTask[] {
  const finished: PendingTask[] = [];
  for (const task of tasksOfScope(scope)) {
    if (!isFinished(task)) continue;
    const { node, index, state } = task;
    const update = state.phase === 'diverted' ? { update: state.update } : {};
    finished.push({ node, ...(index !== null && { index }), ...update });
  }
  return finished;
}

/** The facts that a person needs to settle a failed node or call. */
export interface Intervention {
  readonly kind: 'intervention';
  readonly id: string;
  readonly node: string;
  readonly index?: number;
  /** RFC 3339. */
  readonly since: string;
  /** Absent if no tool was called. */
  readonly tool?: string;
  /**
   * The arguments of the failed call; `null` if there was none, or if they are large. The event `tool.requested` always
   * has them.
   */
  readonly args: Json;
  /** The key of the failed call; `null` if there was none. */
  readonly idempotencyKey: string | null;
  readonly error: RunError;
  readonly choices: readonly InterventionChoice[];
}

/** A control that settles an intervention, and its effect. */
export interface InterventionChoice {
  readonly action: 'retry' | 'skip' | 'fail';
  readonly effect: string;
}

/** The part of a run that waits for a person. */
export type InterventionSubject = 'node' | 'call' | 'compensation';

/** A failure that waits for a person. */
interface PendingFailure extends Pick<Intervention, 'id' | 'node' | 'index' | 'since' | 'error'> {
  readonly of: InterventionSubject;
  readonly call: VisibleCall | null;
}

/** Limit in bytes of the arguments in the view, because each batch of the journal contains them again. */
const MAX_ARGS_BYTES = 16_384;

function toIntervention({ of, call, ...failure }: PendingFailure): Intervention {
  const { key = null, tool, args = null } = call ?? {};
  return {
    kind: 'intervention',
    ...failure,
    ...(tool !== undefined && { tool }),
    args: remainingBytes(MAX_ARGS_BYTES, args) < 0 ? null : args,
    idempotencyKey: key,
    choices: interventionChoices(of, failure.error.code === 'UNKNOWN_OUTCOME', call !== null),
  };
}

function interventionChoices(
  of: InterventionSubject,
  isUnknown: boolean,
  hasCall: boolean,
): readonly InterventionChoice[] {
  const retried = of === 'node' && !hasCall ? 'Runs the node again; finished work in it is kept.' : RETRY;
  return [
    { action: 'retry', effect: isUnknown && hasCall ? RETRY_UNKNOWN : retried },
    { action: 'skip', effect: SKIP[of] },
    { action: 'fail', effect: FAIL[of] },
  ];
}

const RETRY = 'Makes the call again.';
const RETRY_UNKNOWN = 'Makes the call again under the same key; it may have been made before.';
const SKIP: Readonly<Record<InterventionSubject, string>> = {
  node: 'Goes on with the output that you give, as if the node had returned it. Nothing is called.',
  call: 'Goes on with the output that you give, as if the tool had returned it. Nothing is called.',
  compensation: 'Counts the call as undone, with the output that you give. Nothing is called.',
};
const FAIL: Readonly<Record<InterventionSubject, string>> = {
  node: 'Fails the node, and the run with it.',
  call: 'Fails the node that made the call, and the run with it.',
  compensation: 'Counts the call as not undone; the run ends with that in its error.',
};

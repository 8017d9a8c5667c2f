import type { Update } from '../channels/channel.ts';
import { unknownCompensationId } from '../run/compensation.ts';
import { endsAt } from '../run/countdown.ts';
import { executionKey, interventionId } from '../run/ids.ts';
import { nextNodes, batchOf, isSettled, tasksIn } from '../run/position.ts';
import type { Run } from '../run/run.ts';
import type { Scope, NodeTask, WaitPosition } from '../run/scope.ts';
import { isEnded, statusOf } from '../run/status.ts';
import type { RunStatus } from '../run/status.ts';
import type { BatchCall } from '../run/tool-batch.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { formatTimestamp, parseTimestamp } from '../values/timestamp.ts';

/** What the API says of a run that only the run itself knows; the store keeps it as of the last event written. */
export interface RunView {
  readonly status: RunStatus;
  /** RFC 3339, as `endedAt`. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The superstep that is open or was the last; -1 before the first. */
  readonly step: number;
  readonly next: readonly string[];
  readonly waitingFor: readonly WaitingFor[];
  readonly output: Json;
  readonly error: RunError | null;
  readonly usage: Usage;
  readonly checkpointId: string | null;
  /** What finished tasks of the open superstep will write. */
  readonly pending: readonly PendingWrite[];
}

export interface WaitingFor {
  readonly kind: 'approval' | 'event' | 'timer' | 'intervention';
  readonly node: string;
  readonly id?: string;
  readonly since: string;
  readonly deadline?: string;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
}

export interface PendingWrite {
  readonly node: string;
  readonly index?: number;
  readonly update: Update;
}

/** A run that has been accepted, and has not written anything yet. */
export const NOT_BEGUN: RunView = {
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

export function toRunView(run: Run): RunView {
  const { startedAt, root, phase, spent, checkpointId } = run;
  const status = statusOf(run);
  const { inputTokens, outputTokens, modelCalls, toolCalls, costMicros } = spent;
  return {
    status,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: 'endedAt' in phase ? new Date(phase.endedAt).toISOString() : null,
    step: root.at.kind === 'running' ? root.step : root.step - 1,
    next: nextNodes(root),
    waitingFor: isEnded(status) ? [] : waitingOf(run),
    output: phase.kind === 'completed' ? phase.output : null,
    error: phase.kind === 'failed' || phase.kind === 'canceled' ? phase.error : null,
    usage: { inputTokens, outputTokens, modelCalls, toolCalls, costUsd: costMicros / 1_000_000 },
    checkpointId,
    pending: pendingIn(root),
  };
}

/** A run that is being undone waits for nothing else. */
function waitingOf(run: Run): WaitingFor[] {
  const { unknown } = run.compensation;
  if (!unknown) return waitingIn(run, run.root, []);
  const { compensation, since } = unknown;
  return [{ kind: 'intervention', node: compensation.task.node, id: unknownCompensationId(compensation), since }];
}

/** What the tasks of a graph wait for, and those of the graphs inside it. */
function waitingIn(run: Run, scope: Scope, trail: readonly string[]): WaitingFor[] {
  const found: WaitingFor[] = [];
  for (const task of tasksIn(scope)) found.push(...waitingFor(run, task, trail));
  return found;
}

function waitingFor(run: Run, task: NodeTask, trail: readonly string[]): readonly WaitingFor[] {
  const { node, state } = task;
  if (state.phase === 'intervention')
    return [{ kind: 'intervention', node, id: interventionId(trail, task, null), since: state.since }];
  if (state.phase !== 'open') return [];
  const { position } = state;
  switch (position.kind) {
    case 'subgraph':
      return position.failing ? [] : waitingIn(run, position.scope, [...trail, executionKey(task)]);
    case 'wait':
      return [toWaiting(node, position)];
    case 'approval':
      return pendingApproval(run, node, position.approvalId);
    default:
      return batchOf(position).flatMap((call) => callWaitingFor(run, { task, trail }, call));
  }
}

/** What one of the calls of a task waits for. */
function callWaitingFor(
  run: Run,
  { task, trail }: { task: NodeTask; trail: readonly string[] },
  { number, state }: BatchCall,
): WaitingFor[] {
  const { node } = task;
  if (state.phase === 'asked') return pendingApproval(run, node, state.approvalId);
  if (state.phase !== 'intervention') return [];
  return [{ kind: 'intervention', node, id: interventionId(trail, task, number), since: state.since }];
}

function toWaiting(node: string, position: WaitPosition): WaitingFor {
  const { event, since } = position;
  const deadline = waitsUntil(position);
  const kind = event === null ? 'timer' : 'event';
  return { kind, node, ...(event !== null && { id: event }), since, ...(deadline !== null && { deadline }) };
}

/** When it goes on by itself, or fails, whichever comes first. */
function waitsUntil({ deadline, countdown }: WaitPosition): string | null {
  const failsAt = countdown ? endsAt(countdown) : null;
  if (failsAt === null) return deadline;
  const goesOnAt = deadline === null ? null : parseTimestamp(deadline);
  return goesOnAt !== null && goesOnAt <= failsAt ? deadline : formatTimestamp(failsAt);
}

function pendingApproval(run: Run, node: string, approvalId: string): WaitingFor[] {
  const approval = own(run.approvals, approvalId);
  if (approval?.status !== 'pending') return [];
  return [{ kind: 'approval', node, id: approval.id, since: approval.requestedAt, deadline: approval.expiresAt }];
}

function pendingIn(scope: Scope): PendingWrite[] {
  const writes: PendingWrite[] = [];
  for (const task of tasksIn(scope)) {
    const { node, index } = task;
    if (isSettled(task)) writes.push({ node, ...(index !== null && { index }), update: task.state.update });
  }
  return writes;
}

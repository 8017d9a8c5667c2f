import { rememberCompensation, finishCompensation } from '../lifecycle/compensation.ts';
import type { CallReply, ModelReply } from '../run/effect.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence } from '../run/occurrence.ts';
import type { OpenCall } from '../run/run.ts';
import { costMicros } from '../run/spending.ts';
import { isBeingCanceled, isEnding } from '../run/status.ts';
import { cancelRun } from '../signals/cancel.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import { deliver, emitAt } from '../superstep/deliver.ts';
import { recordOccurrence } from '../superstep/draft.ts';
import type { Draft } from '../superstep/draft.ts';
import { findTask, emitTask } from '../superstep/frames.ts';
import type { TaskHandle } from '../superstep/frames.ts';
import type { RunError } from '../values/errors.ts';
import { own } from '../values/json.ts';

type Handler<K extends Occurrence['kind']> = (
  draft: Draft,
  occurrence: Occurrence & { readonly kind: K },
) => RunError | void;

/** What each kind of occurrence does to a run; how far the run then gets is `drive`'s work. */
const handlers: { readonly [K in Occurrence['kind']]: Handler<K> } = {
  'call.completed': completeCall,
  'call.failed': failCall,
  timer: fireTimer,
  signal: (draft, { name, payload }) => receiveSignal(draft, name, payload),
  'cancel.requested': cancelByTemporal,
  continue: () => undefined,
};

export function handleOccurrence<K extends Occurrence['kind']>(
  draft: Draft,
  occurrence: Occurrence & { readonly kind: K },
): RunError | void {
  const handle: Handler<K> = handlers[occurrence.kind];
  return handle(draft, occurrence);
}

function completeCall(
  draft: Draft,
  { key, reply, attempts, durationMs }: Occurrence & { kind: 'call.completed' },
): void {
  const call = draft.takeCall(key);
  if (!call) return;
  recordOccurrence(draft, { kind: 'call.completed', key });
  if (call.compensates) return finishCompensation(draft, call.compensates, { result: 'value' in reply && reply.value });
  if (!draft.run.counted.includes(key)) count(draft, call.called, reply);
  const handle = findTask(draft, call.taskPath);
  if (!handle) return;
  recordReply(handle, call.called, { key, reply, attempts, durationMs });
  rememberCompensation(handle, { key, reply });
  deliver(handle, { kind: 'call.completed', key, reply });
  recordCounted(draft, call, key);
}

function failCall(draft: Draft, { key, failure }: Occurrence & { kind: 'call.failed' }): void {
  const call = draft.takeCall(key);
  if (!call) return;
  recordOccurrence(draft, { kind: 'call.failed', key, failure });
  const { kind, name } = call.called;
  const { error } = failure;
  if (call.compensates) return finishCompensation(draft, call.compensates, { error });
  const common = { error, attempts: error.attempts ?? 1, durationMs: draft.now - call.since };
  if (kind === 'tool')
    emitAt(draft, call.taskPath, { type: 'tool.called', tool: name, idempotencyKey: key, ...common });
  if (kind === 'model') emitAt(draft, call.taskPath, { type: 'model.called', model: name, ...common });
  if (kind === 'tool') draft.spend({ toolCalls: 1 });
  if (kind === 'model') draft.spend({ modelCalls: 1 });
  deliver(findTask(draft, call.taskPath), { kind: 'call.failed', key, failure });
}

function cancelByTemporal(draft: Draft): void {
  if (!isBeingCanceled(draft.run)) recordOccurrence(draft, { kind: 'cancel.requested' });
  cancelRun(draft, 'temporal-operator', 'The workflow was canceled');
}

interface Answered {
  readonly key: string;
  readonly reply: CallReply;
  readonly attempts: number;
  readonly durationMs: number;
}

/** A recorded answer is counted once: a retry of a task that has not gone on from it asks for it under the same key. */
function recordCounted(draft: Draft, { taskPath }: OpenCall, key: string): void {
  const { counted } = draft.run;
  const handle = findTask(draft, taskPath);
  if (handle && mayAskAgain(handle) && !counted.includes(key)) draft.setCounted([...counted, key]);
}

/** A model that is asked more than once for one answer begins anew when its run, or a node around it, has ended meanwhile. */
function mayAskAgain({ draft, frame, task: { state } }: TaskHandle): boolean {
  if (state.phase === 'open') return isEnding(draft.run) || frame.isFailing || state.position.kind === 'llm';
  return state.phase === 'failed' || state.phase === 'intervention';
}

function recordReply(
  handle: TaskHandle,
  called: OpenCall['called'],
  { key, reply, attempts, durationMs }: Answered,
): void {
  if (reply.kind === 'value') {
    if (called.kind !== 'tool') return;
    emitTask(handle, {
      type: 'tool.called',
      tool: called.name,
      result: reply.value,
      attempts,
      durationMs,
      idempotencyKey: key,
    });
    return;
  }
  if (reply.kind === 'overflow') return;
  const { usage, finishReason, toolCalls, context } = reply;
  const cost = costOf(handle.draft, called, usage);
  emitTask(handle, {
    type: 'model.called',
    model: called.name,
    usage,
    costUsd: cost / 1_000_000,
    finishReason,
    toolCalls: toolCalls.length,
    attempts,
    durationMs,
    ...(context && { context }),
  });
}

function count(draft: Draft, called: OpenCall['called'], reply: CallReply): void {
  if (called.kind === 'tool') draft.spend({ toolCalls: 1 });
  if (reply.kind !== 'model') return;
  const { inputTokens, outputTokens } = reply.usage;
  draft.spend({ modelCalls: 1, inputTokens, outputTokens, costMicros: costOf(draft, called, reply.usage) });
}

function costOf({ graph }: Draft, { name }: OpenCall['called'], usage: ModelReply['usage']): number {
  return costMicros(usage, own(graph.catalog.models, name)?.price);
}

function fireTimer(draft: Draft, { id }: Occurrence & { kind: 'timer' }): RunError | undefined {
  const timer = draft.takeTimer(id);
  if (!timer) return undefined;
  recordOccurrence(draft, { kind: 'timer', id });
  if (id === DEADLINE_TIMER)
    return { code: 'DEADLINE_EXCEEDED', message: `The deadline of ${draft.run.limits.deadlineMs} ms is over` };
  deliver(findTask(draft, timer.taskPath), { kind: 'timer', id });
  return undefined;
}

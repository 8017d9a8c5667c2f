import type { TaskEventBody } from '../journal/events.ts';
import { rememberCompensation, finishCompensation } from '../lifecycle/compensation.ts';
import { forgetPerhapsMade, isPerhapsMade, rememberPerhapsMade } from '../lifecycle/perhaps-made.ts';
import type { ModelReply } from '../run/effect.ts';
import type { Occurrence } from '../run/occurrence.ts';
import { hasFailed } from '../run/position.ts';
import type { OpenCall } from '../run/run.ts';
import { costMicros } from '../run/spending.ts';
import type { Spent } from '../run/spending.ts';
import { acceptanceOf, isAboutToEnd } from '../superstep/acceptance.ts';
import { deliver } from '../superstep/deliver.ts';
import { recordOccurrence } from '../draft/emit.ts';
import type { Draft } from '../draft/draft.ts';
import { findTask, emitTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { withLocation } from '../superstep/fail-task.ts';
import { own } from '../values/json.ts';

type Completed = Occurrence & { readonly kind: 'call.completed' };
type Failed = Occurrence & { readonly kind: 'call.failed' };

/** Accounts for a returned call, remembers its compensation and resumes its task. */
export function completeCall(draft: Draft, { key, reply, attempts, durationMs }: Completed): void {
  const call = draft.takeCall(key);
  if (!call) return;
  recordOccurrence(draft, { kind: 'call.completed', key });
  forgetPerhapsMade(draft, key);
  if (call.compensates) return finishCompensation(draft, call.compensates, { result: 'value' in reply && reply.value });
  const account = accountOf(draft, call, { key, reply, attempts, durationMs });
  if (!draft.run.counted.includes(key)) draft.spend(account.spent);
  const handle = findTask(draft, call.taskPath);
  if (!handle) return;
  if (account.event) emitTask(handle, account.event);
  rememberCompensation(handle, { key, reply });
  deliver(handle, { kind: 'call.completed', key, reply });
  noteCounted(handle, key);
}

/** Accounts for a call that has failed for good, and informs its task. */
export function failCall(draft: Draft, { key, failure }: Failed): void {
  const call = draft.takeCall(key);
  if (!call) return;
  recordOccurrence(draft, { kind: 'call.failed', key, failure });
  if (call.compensates) return finishCompensation(draft, call.compensates, { error: failure.error });
  const { spent, event } = accountOfFailure(draft, call, { key, failure });
  draft.spend(spent);
  const mayBeMade = isPerhapsMade(draft, call, failure);
  if (mayBeMade) rememberPerhapsMade(draft, { key, taskPath: call.taskPath, called: call.called.name });
  else forgetPerhapsMade(draft, key);
  const handle = findTask(draft, call.taskPath);
  if (!handle) return;
  if (event) emitTask(handle, event);
  else if (mayBeMade) emitIfIgnored(handle, { key, failure });
  deliver(handle, { kind: 'call.failed', key, failure });
}

/** Records that a call without an event of its own may have been made, if its task ends with the run and says nothing. */
function emitIfIgnored(handle: TaskHandle, { key, failure }: Pick<Failed, 'key' | 'failure'>): void {
  const isIgnored = acceptanceOf(handle, { kind: 'call.failed', key, failure }) === 'ignore';
  if (!isIgnored || handle.frame.isFailing) return;
  const { attempts = 1 } = failure.error;
  emitTask(handle, { type: 'node.failed', error: withLocation(handle, failure.error), attempts });
}

/** A call's usage and its event. */
interface Account {
  readonly spent: Partial<Spent>;
  readonly event: TaskEventBody | null;
}

type Answered = Pick<Completed, 'key' | 'reply' | 'attempts' | 'durationMs'>;

function accountOf(draft: Draft, { called }: OpenCall, { key, reply, attempts, durationMs }: Answered): Account {
  const { kind, name } = called;
  if (reply.kind === 'model') return accountOfModel(draft, name, { reply, attempts, durationMs });
  if (reply.kind === 'overflow' || kind !== 'tool') return { spent: {}, event: null };
  const { value: result } = reply;
  const event = { type: 'tool.called', tool: name, result, attempts, durationMs, idempotencyKey: key } as const;
  return { spent: { toolCalls: 1 }, event };
}

function accountOfModel(
  { graph }: Draft,
  model: string,
  { reply, attempts, durationMs }: Pick<Answered, 'attempts' | 'durationMs'> & { readonly reply: ModelReply },
): Account {
  const { usage, finishReason, toolCalls, context } = reply;
  const { inputTokens, outputTokens } = usage;
  const cost = costMicros(usage, own(graph.catalog.models, model)?.price);
  const event: TaskEventBody = {
    type: 'model.called',
    model,
    usage,
    costUsd: cost / 1_000_000,
    finishReason,
    toolCalls: toolCalls.length,
    attempts,
    durationMs,
    ...(context && { context }),
  };
  return { spent: { modelCalls: 1, inputTokens, outputTokens, costMicros: cost }, event };
}

function accountOfFailure(
  { now }: Draft,
  { called: { kind, name }, since }: OpenCall,
  { key, failure: { error } }: Pick<Failed, 'key' | 'failure'>,
): Account {
  const common = { error, attempts: error.attempts ?? 1, durationMs: now - since };
  if (kind === 'tool')
    return { spent: { toolCalls: 1 }, event: { type: 'tool.called', tool: name, idempotencyKey: key, ...common } };
  if (kind === 'model') return { spent: { modelCalls: 1 }, event: { type: 'model.called', model: name, ...common } };
  return { spent: {}, event: null };
}

/** Counts a recorded answer once: a retried task may request it again under the same key. */
function noteCounted(handle: TaskHandle, key: string): void {
  const { draft } = handle;
  const { counted } = draft.run;
  if (mayAskAgain(handle) && !counted.includes(key)) draft.setCounted([...counted, key]);
}

/** An answer of several model calls begins anew if the run, or an enclosing node, has ended meanwhile. */
function mayAskAgain(handle: TaskHandle): boolean {
  const { state } = handle.task;
  if (state.phase === 'open') return isAboutToEnd(handle) || state.position.kind === 'llm';
  return hasFailed(state);
}

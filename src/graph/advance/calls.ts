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
import { recordOccurrence } from '../superstep/draft.ts';
import type { Draft } from '../superstep/draft.ts';
import { findTask, emitTask } from '../superstep/frames.ts';
import type { TaskHandle } from '../superstep/frames.ts';
import { withLocation } from '../superstep/run-task.ts';
import { own } from '../values/json.ts';

type Completed = Occurrence & { readonly kind: 'call.completed' };
type Failed = Occurrence & { readonly kind: 'call.failed' };

/** Accounts for a returned call, remembers its compensation and resumes its task. */
export function completeCall(draft: Draft, { key, reply, isLocal, ...facts }: Completed): void {
  const call = draft.takeCall(key);
  if (!call) return;
  const handle = findTask(draft, call.taskPath);
  const isReplyLost = isLocal && !(handle && call.called.kind === 'tool');
  recordOccurrence(draft, { kind: 'call.completed', key, ...(isReplyLost && { reply }) });
  forgetPerhapsMade(draft, key);
  if (call.compensates) return finishCompensation(draft, call.compensates, { result: 'value' in reply && reply.value });
  const account = accountOf(draft, call, { key, reply, isLocal, ...facts });
  if (!draft.run.counted.includes(key)) draft.spend(account.spent);
  if (!handle) return;
  if (account.event) emitTask(handle, account.event);
  rememberCompensation(handle, { key, reply });
  deliver(handle, { kind: 'call.completed', key, reply });
  noteCounted(handle, key);
}

/** Accounts for a call that has failed for good, and informs its task. */
export function failCall(draft: Draft, { key, failure, isLocal }: Failed): void {
  const call = draft.takeCall(key);
  if (!call) return;
  recordOccurrence(draft, { kind: 'call.failed', key, failure, ...(isLocal && { isLocal }) });
  if (call.compensates) return finishCompensation(draft, call.compensates, { error: failure.error });
  const { spent, event } = accountOfFailure(draft, call, { key, failure, isLocal });
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

type Answered = Pick<Completed, 'key' | 'reply' | 'attempts' | 'durationMs'> & { readonly isLocal: true | undefined };

function accountOf(draft: Draft, { called }: OpenCall, answered: Answered): Account {
  const { kind, name } = called;
  const { key, reply, attempts, durationMs, isLocal } = answered;
  if (reply.kind === 'model') return accountOfModel(draft, name, { reply, attempts, durationMs });
  if (reply.kind === 'overflow' || kind !== 'tool') return { spent: {}, event: null };
  const common = { result: reply.value, attempts, durationMs, idempotencyKey: key };
  return { spent: { toolCalls: 1 }, event: toolCalled(name, common, isLocal) };
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
  { key, failure: { error }, isLocal }: Pick<Failed, 'key' | 'failure'> & Pick<Answered, 'isLocal'>,
): Account {
  const common = { error, attempts: error.attempts ?? 1, durationMs: now - since };
  if (kind === 'tool')
    return { spent: { toolCalls: 1 }, event: toolCalled(name, { idempotencyKey: key, ...common }, isLocal) };
  if (kind === 'model') return { spent: { modelCalls: 1 }, event: { type: 'model.called', model: name, ...common } };
  return { spent: {}, event: null };
}

type ToolCalled = TaskEventBody & { readonly type: 'tool.called' };

function toolCalled(
  tool: string,
  common: Omit<ToolCalled, 'type' | 'tool' | 'local'>,
  isLocal: true | undefined,
): ToolCalled {
  return { type: 'tool.called', tool, ...common, ...(isLocal && { local: true }) };
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

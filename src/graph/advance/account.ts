import type { Draft } from '../draft/draft.ts';
import type { TaskEventBody } from '../journal/events.ts';
import type { ModelReply } from '../run/effect.ts';
import type { CallResult } from '../run/occurrence.ts';
import type { OpenCall } from '../run/run.ts';
import { costMicros } from '../run/spending.ts';
import type { Spent } from '../run/spending.ts';
import { isNotMade } from '../values/errors.ts';
import type { TokenUsage } from '../values/errors.ts';
import { own } from '../values/json.ts';

/** A call's usage and its event. */
export interface Account {
  readonly spent: Partial<Spent>;
  readonly event: TaskEventBody | null;
}

/** Accounts for a call. One that was not made costs nothing; the usage of a counted one is already in `spent`. */
export function accountOf(draft: Draft, call: OpenCall, result: CallResult): Account {
  const account =
    result.kind === 'call.failed' ? accountOfFailure(draft, call, result) : accountOfReply(draft, call, result);
  return isFree(draft, call, result) ? { ...account, spent: {} } : account;
}

/** A model that is asked again after a failure uses other tokens, so only its answer is counted once. */
function isFree({ run }: Draft, { called }: OpenCall, result: CallResult): boolean {
  if (result.kind === 'call.failed' && isNotMade(result.failure)) return true;
  const isCountedOnce = called.kind === 'tool' || result.kind === 'call.completed';
  return isCountedOnce && run.counted.includes(result.key);
}

type Completed = CallResult & { readonly kind: 'call.completed' };
type Failed = CallResult & { readonly kind: 'call.failed' };

function accountOfReply(draft: Draft, { called }: OpenCall, completed: Completed): Account {
  const { kind, name } = called;
  const { key, reply, attempts, durationMs, isLocal } = completed;
  if (reply.kind === 'model') return accountOfModel(draft, name, { reply, attempts, durationMs, key });
  if (reply.kind === 'overflow') return { spent: {}, event: null };
  const common = { result: reply.value, attempts, durationMs, idempotencyKey: key };
  return accountOfCode({ kind, name }, common, isLocal);
}

function accountOfModel(
  draft: Draft,
  model: string,
  {
    reply,
    attempts,
    durationMs,
    key,
  }: Pick<Completed, 'attempts' | 'durationMs' | 'key'> & { readonly reply: ModelReply },
): Account {
  const { usage, finishReason, toolCalls, context } = reply;
  const { spent, told } = costOf(draft, model, usage);
  const event: TaskEventBody = {
    type: 'model.called',
    model,
    ...told,
    finishReason,
    toolCalls: toolCalls.length,
    attempts,
    durationMs,
    idempotencyKey: key,
    ...(context && { context }),
  };
  return { spent, event };
}

/** What an answer has cost, for the budgets and for its event. */
function costOf({ graph }: Draft, model: string, usage: TokenUsage) {
  const { inputTokens, outputTokens } = usage;
  const cost = costMicros(usage, own(graph.catalog.models, model)?.price);
  return {
    spent: { modelCalls: 1, inputTokens, outputTokens, costMicros: cost },
    told: { usage, costUsd: cost / 1_000_000 },
  };
}

function accountOfFailure(
  draft: Draft,
  { called: { kind, name }, since }: OpenCall,
  { key, failure: { error, usage }, isLocal }: Failed,
): Account {
  const common = { error, attempts: error.attempts ?? 1, durationMs: draft.now - since, idempotencyKey: key };
  if (kind === 'model') {
    const { spent, told } = usage ? costOf(draft, name, usage) : { spent: { modelCalls: 1 }, told: {} };
    return { spent, event: { type: 'model.called', model: name, ...told, ...common } };
  }
  return accountOfCode({ kind, name }, common, isLocal);
}

/** Accounts for a call of a tool, a function, or the code of a node type. */
function accountOfCode({ kind, name }: OpenCall['called'], common: EndOfCall, isLocal: true | undefined): Account {
  const told = { ...common, ...(isLocal && { local: true as const }) };
  if (kind === 'reading') return { spent: {}, event: null };
  if (kind === 'tool') return { spent: { toolCalls: 1 }, event: { type: 'tool.called', tool: name, ...told } };
  const code = kind === 'node' ? { nodeType: name } : { function: name };
  return { spent: {}, event: { type: 'function.called', ...code, ...told } };
}

type EndOfCall = Omit<TaskEventBody & { readonly type: 'function.called' }, 'type' | 'function' | 'nodeType' | 'local'>;

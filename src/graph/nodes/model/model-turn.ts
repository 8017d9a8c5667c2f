import type { Conversation, TurnPosition, ModelQuestion } from '../../run/model-turn.ts';
import type { ModelReply, OverflowReply } from '../../run/effect.ts';
import type { Json } from '../../values/json.ts';
import type { TaskFailure } from '../../values/errors.ts';
import type { TaskInput, TaskContext } from '../behavior.ts';
import type { Offer, ModelCallPlan, Sending } from './model-calls.ts';
import type { ModelFields } from '../../definition/definition.ts';
import { planModelCalls, toModelCall, shortenConversation } from './model-calls.ts';
import type { NodeSettings } from '../node-settings.ts';
import { withUsage } from '../../run/model-turn.ts';
import { extendSummary } from './summary.ts';
import { withUniqueIds } from './conversation.ts';
import type { NewMessage } from '../../definition/message.ts';

/*
 * One answer of a model. It may take several calls: other models when one has failed for good, corrections of an object
 * that breaks its schema, a summary of what does not fit any more.
 */

/** How often a model is shown what is wrong with its structured output before the node fails. */
const MAX_CORRECTIONS = 2;

/** A model is asked, or will be as soon as there is room. */
export interface OpenTurn {
  readonly kind: 'asking';
  readonly conversation: Conversation;
  readonly turn: TurnPosition;
}

export interface FinishedTurn {
  readonly kind: 'answered';
  readonly conversation: Conversation;
  readonly reply: ModelReply;
  /** What the answer holds by the node's `output` schema. */
  readonly object: Json;
  /** The name of the model that has answered. */
  readonly model: string | null;
}

export type TurnProgress =
  | OpenTurn
  | FinishedTurn
  | { readonly kind: 'failed'; readonly conversation: Conversation; readonly failure: TaskFailure };

/** What a turn waits for. */
export type TurnInput =
  | (TaskInput & { readonly kind: 'call.failed' })
  | (TaskInput & { readonly kind: 'call.completed' } & { readonly reply: ModelReply | OverflowReply });

export function isForTurn(happening: TaskInput): happening is TurnInput {
  return happening.kind === 'call.completed' ? happening.reply.kind !== 'value' : happening.kind === 'call.failed';
}

export interface ModelTurn {
  ask(task: TaskContext, talk: Conversation, offer: Offer): OpenTurn;
  /** Makes the call that waited; or the one that was out again, under its key: it was called back, or could not be gone on from. */
  askAgain(task: TaskContext, asking: Omit<OpenTurn, 'kind'>, offer: Offer): OpenTurn;
  resume(task: TaskContext, at: Omit<OpenTurn, 'kind'> & { readonly offer: Offer }, happening: TurnInput): TurnProgress;
}

/** Compiles what a node says to its models. */
export function compileModelTurn(node: ModelFields, scope: NodeSettings): ModelTurn {
  const plan = planModelCalls(node, scope);
  return {
    ask: (task, conversation, offer) =>
      send(plan, task, { conversation, offer, ask: { ...FIRST, model: nextModel(plan, task, 0) ?? 0 } }),
    askAgain(task, { conversation, turn }, offer) {
      const callsMade = turn.key === null ? conversation.callsMade : conversation.callsMade - 1;
      return send(plan, task, { conversation: { ...conversation, callsMade }, offer, ask: turn });
    },
    resume(task, at, happening) {
      if (happening.kind === 'call.failed') return afterFailure(plan, task, { at, failure: happening.failure });
      const { reply } = happening;
      return reply.kind === 'overflow'
        ? summarize(plan, task, { at, messages: reply.messages })
        : afterReply(plan, task, { at: { ...at, conversation: withUsage(at.conversation, reply.usage) }, reply });
    },
  };
}

type At = Parameters<ModelTurn['resume']>[1];
const FIRST: ModelQuestion = { model: 0, corrections: [], summarizing: null };

function send(
  plan: ModelCallPlan,
  task: TaskContext,
  { conversation, offer, ask: { model, corrections, summarizing } }: Sending,
): OpenTurn {
  const ask = { model, corrections, summarizing };
  const request = toModelCall(plan, task, { conversation, offer, ask });
  const needs = task.missingBudget(request);
  if (needs) return { kind: 'asking', conversation, turn: { key: null, needs, ...ask } };
  const key = task.call(conversation.callsMade, request);
  return {
    kind: 'asking',
    conversation: { ...conversation, callsMade: conversation.callsMade + 1 },
    turn: { key, ...ask },
  };
}

/** The first model, from one on, that may be asked at all in this run; `null`: none may. */
function nextModel({ models }: ModelCallPlan, task: TaskContext, from: number): number | null {
  const at = models.findIndex(({ model }, at) => at >= from && task.isModelAllowed(model));
  return at < 0 ? null : at;
}

/** The next model answers when one has failed for good or its replies are of no use, whatever the reason but a content filter. */
function afterFailure(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, failure }: { at: At; failure: TaskFailure },
): TurnProgress {
  const { conversation, offer, turn } = at;
  const isFiltered = failure.error.cause?.code === 'content_filter';
  const model = isFiltered ? null : nextModel(plan, task, turn.model + 1);
  if (model === null) return { kind: 'failed', conversation, failure };
  return send(plan, task, { conversation, offer, ask: { ...FIRST, model } });
}

/** Nothing was sent, for it does not fit: has the first messages summarized. */
function summarize(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, messages }: { at: At; messages: number },
): TurnProgress {
  const { conversation, offer, turn } = at;
  const { head, rest } = shortenConversation(plan, task, conversation);
  const covered = Math.min(messages, head.length + rest.length);
  const isNothingNew = covered <= head.length;
  if (isNothingNew || turn.summarizing !== null) {
    const message = 'The conversation does not fit into the context, even when it is summarized';
    return afterFailure(plan, task, { at, failure: modelFailure(message, 'context_length_exceeded') });
  }
  return send(plan, task, { conversation, offer, ask: { ...turn, summarizing: covered } });
}

interface Reply {
  readonly at: At;
  readonly reply: ModelReply;
}

function afterReply(plan: ModelCallPlan, task: TaskContext, answer: Reply): TurnProgress {
  const { at, reply } = answer;
  const { conversation, offer, turn } = at;
  const refusal = REFUSALS[reply.finishReason];
  if (refusal) return afterFailure(plan, task, { at, failure: modelFailure(refusal.message, refusal.cause) });
  if (turn.summarizing !== null) {
    const sent = shortenConversation(plan, task, conversation);
    const summary = extendSummary(sent, turn.summarizing - sent.head.length, reply.text);
    return send(plan, task, { conversation: { ...conversation, summary }, offer, ask: { ...turn, summarizing: null } });
  }
  const hasCalls = reply.toolCalls.length > 0 && offer.tools.length > 0;
  if (hasCalls || !plan.readOutput) return answered(plan, task, { ...answer, object: null });
  const read = plan.readOutput(reply.text);
  return 'value' in read
    ? answered(plan, task, { ...answer, object: read.value })
    : correct(plan, task, { ...answer, problem: read.problem });
}

/** Answers that are none. */
const REFUSALS: Readonly<Partial<Record<ModelReply['finishReason'], { message: string; cause: string }>>> = {
  'content-filter': { message: 'The provider filtered the reply', cause: 'content_filter' },
  refusal: { message: 'The model refused to answer', cause: 'refusal' },
};

function answered(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, reply, object }: Reply & { object: Json },
): FinishedTurn {
  const { conversation, turn } = at;
  const before = [...plan.conversationStart(task.bindings).messages, ...conversation.messages];
  const model = plan.models[turn.model]?.model ?? null;
  return { kind: 'answered', conversation, reply: withUniqueIds(reply, before), object, model };
}

/** Shows the model what is wrong with its object, so often and no more. */
function correct(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, reply, problem }: Reply & { problem: string },
): TurnProgress {
  const { conversation, offer, turn } = at;
  if (reply.finishReason === 'length') {
    const message = 'The reply was cut off before its object was complete; raise maxOutputTokens';
    return afterFailure(plan, task, { at, failure: modelFailure(message, 'truncated') });
  }
  if (turn.corrections.length / 2 >= MAX_CORRECTIONS)
    return afterFailure(plan, task, { at, failure: outputViolation(problem) });
  const corrections = [...turn.corrections, ...correction(reply, problem)];
  return send(plan, task, { conversation, offer, ask: { ...turn, corrections } });
}

function correction({ text }: ModelReply, problem: string): readonly NewMessage[] {
  const content = `Your answer does not fit the schema: ${problem}. Answer again with the corrected JSON object only.`;
  return [
    { role: 'assistant', content: text },
    { role: 'user', content },
  ];
}

function modelFailure(message: string, cause: string): TaskFailure {
  return { callFailed: true, error: { code: 'MODEL_FAILED', message, cause: { code: cause, message } } };
}

function outputViolation(problem: string): TaskFailure {
  const message = `The model's answer still breaks the output schema: ${problem}`;
  return { callFailed: true, error: { code: 'OUTPUT_SCHEMA_VIOLATION', message } };
}

import type { Talk, TurnPosition, Ask } from '../../run/model-turn.ts';
import type { ModelReply, OverflowReply } from '../../run/effect.ts';
import type { Json } from '../../values/json.ts';
import type { TaskFailure } from '../../values/errors.ts';
import type { Happening, TaskContext } from '../behavior.ts';
import type { Offer, ModelCallPlan, Sending } from './model-calls.ts';
import type { ModelFields } from '../../definition/definition.ts';
import { planModelCalls, toModelCall, shortenedTalk } from './model-calls.ts';
import type { NodeScope } from '../node-settings.ts';
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
export interface Asking {
  readonly kind: 'asking';
  readonly talk: Talk;
  readonly turn: TurnPosition;
}

export interface Answered {
  readonly kind: 'answered';
  readonly talk: Talk;
  readonly reply: ModelReply;
  /** What the answer holds by the node's `output` schema. */
  readonly object: Json;
  /** The name of the model that has answered. */
  readonly model: string | null;
}

export type TurnProgress =
  | Asking
  | Answered
  | { readonly kind: 'failed'; readonly talk: Talk; readonly failure: TaskFailure };

/** What a turn waits for. */
export type TurnHappening =
  | (Happening & { readonly kind: 'call.failed' })
  | (Happening & { readonly kind: 'call.completed' } & { readonly reply: ModelReply | OverflowReply });

export function isForTurn(happening: Happening): happening is TurnHappening {
  return happening.kind === 'call.completed' ? happening.reply.kind !== 'value' : happening.kind === 'call.failed';
}

export interface ModelTurn {
  ask(task: TaskContext, talk: Talk, offer: Offer): Asking;
  /** Makes the call that waited; or the one that was out again, under its key: it was called back, or could not be gone on from. */
  askAgain(task: TaskContext, asking: Omit<Asking, 'kind'>, offer: Offer): Asking;
  resume(
    task: TaskContext,
    at: Omit<Asking, 'kind'> & { readonly offer: Offer },
    happening: TurnHappening,
  ): TurnProgress;
}

/** Compiles what a node says to its models. */
export function compileModelTurn(node: ModelFields, scope: NodeScope): ModelTurn {
  const plan = planModelCalls(node, scope);
  return {
    ask: (task, talk, offer) =>
      send(plan, task, { talk, offer, ask: { ...FIRST, model: nextModel(plan, task, 0) ?? 0 } }),
    askAgain(task, { talk, turn }, offer) {
      const made = turn.key === null ? talk.made : talk.made - 1;
      return send(plan, task, { talk: { ...talk, made }, offer, ask: turn });
    },
    resume(task, at, happening) {
      if (happening.kind === 'call.failed') return afterFailure(plan, task, { at, failure: happening.failure });
      const { reply } = happening;
      return reply.kind === 'overflow'
        ? summarize(plan, task, { at, messages: reply.messages })
        : afterReply(plan, task, { at: { ...at, talk: withUsage(at.talk, reply.usage) }, reply });
    },
  };
}

type At = Parameters<ModelTurn['resume']>[1];
const FIRST: Ask = { model: 0, corrections: [], summarizing: null };

function send(
  plan: ModelCallPlan,
  task: TaskContext,
  { talk, offer, ask: { model, corrections, summarizing } }: Sending,
): Asking {
  const ask = { model, corrections, summarizing };
  const request = toModelCall(plan, task, { talk, offer, ask });
  const needs = task.roomAwaited(request);
  if (needs) return { kind: 'asking', talk, turn: { key: null, needs, ...ask } };
  const key = task.call(talk.made, request);
  return { kind: 'asking', talk: { ...talk, made: talk.made + 1 }, turn: { key, ...ask } };
}

/** The first model, from one on, that may be asked at all in this run; `null`: none may. */
function nextModel({ models }: ModelCallPlan, task: TaskContext, from: number): number | null {
  const at = models.findIndex(({ model }, at) => at >= from && task.mayEverAsk(model));
  return at < 0 ? null : at;
}

/** The next model answers when one has failed for good or its replies are of no use, whatever the reason but a content filter. */
function afterFailure(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, failure }: { at: At; failure: TaskFailure },
): TurnProgress {
  const { talk, offer, turn } = at;
  const isFiltered = failure.error.cause?.code === 'content_filter';
  const model = isFiltered ? null : nextModel(plan, task, turn.model + 1);
  if (model === null) return { kind: 'failed', talk, failure };
  return send(plan, task, { talk, offer, ask: { ...FIRST, model } });
}

/** Nothing was sent, for it does not fit: has the first messages summarized. */
function summarize(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, messages }: { at: At; messages: number },
): TurnProgress {
  const { talk, offer, turn } = at;
  const { head, rest } = shortenedTalk(plan, task, talk);
  const covered = Math.min(messages, head.length + rest.length);
  const isNothingNew = covered <= head.length;
  if (isNothingNew || turn.summarizing !== null) {
    const message = 'The conversation does not fit into the context, even when it is summarized';
    return afterFailure(plan, task, { at, failure: modelFailure(message, 'context_length_exceeded') });
  }
  return send(plan, task, { talk, offer, ask: { ...turn, summarizing: covered } });
}

interface Reply {
  readonly at: At;
  readonly reply: ModelReply;
}

function afterReply(plan: ModelCallPlan, task: TaskContext, answer: Reply): TurnProgress {
  const { at, reply } = answer;
  const { talk, offer, turn } = at;
  const refusal = REFUSALS[reply.finishReason];
  if (refusal) return afterFailure(plan, task, { at, failure: modelFailure(refusal.message, refusal.cause) });
  if (turn.summarizing !== null) {
    const sent = shortenedTalk(plan, task, talk);
    const summary = extendSummary(sent, turn.summarizing - sent.head.length, reply.text);
    return send(plan, task, { talk: { ...talk, summary }, offer, ask: { ...turn, summarizing: null } });
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

function answered(plan: ModelCallPlan, task: TaskContext, { at, reply, object }: Reply & { object: Json }): Answered {
  const { talk, turn } = at;
  const before = [...plan.conversation(task.bindings).messages, ...talk.said];
  const model = plan.models[turn.model]?.model ?? null;
  return { kind: 'answered', talk, reply: withUniqueIds(reply, before), object, model };
}

/** Shows the model what is wrong with its object, so often and no more. */
function correct(
  plan: ModelCallPlan,
  task: TaskContext,
  { at, reply, problem }: Reply & { problem: string },
): TurnProgress {
  const { talk, offer, turn } = at;
  if (reply.finishReason === 'length') {
    const message = 'The reply was cut off before its object was complete; raise maxOutputTokens';
    return afterFailure(plan, task, { at, failure: modelFailure(message, 'truncated') });
  }
  if (turn.corrections.length / 2 >= MAX_CORRECTIONS)
    return afterFailure(plan, task, { at, failure: outputViolation(problem) });
  const corrections = [...turn.corrections, ...correction(reply, problem)];
  return send(plan, task, { talk, offer, ask: { ...turn, corrections } });
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

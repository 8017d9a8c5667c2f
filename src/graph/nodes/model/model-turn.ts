import type { ModelFields } from '../../definition/node-types/model-fields.ts';
import type { NewMessage } from '../../definition/message.ts';
import type { ModelReply, OverflowReply } from '../../run/effect.ts';
import { addUsage } from '../../run/model-turn.ts';
import type { ModelConversation, ModelQuestion, TurnPosition } from '../../run/model-turn.ts';
import type { TaskFailure } from '../../values/errors.ts';
import type { Json } from '../../values/json.ts';
import type { TaskContext, TaskInput } from '../behavior.ts';
import type { NodeSettings } from '../node-settings.ts';
import { withUniqueIds, withoutToolRequests, extendSummary } from './conversation.ts';
import { planModelCalls, shortenConversation, toModelCall } from './model-calls.ts';
import type { ModelCallPlan, ModelOffer, TurnStep } from './model-calls.ts';

/*
 * A model turn gets one answer of a model. It may take several calls: of other models after a failure, for corrections
 * of an object that breaks its schema, and for a summary of messages that do not fit.
 */

/** A turn with an open call, or with a call that waits for budgets. */
export interface OpenTurn {
  readonly kind: 'asking';
  readonly conversation: ModelConversation;
  readonly turn: TurnPosition;
}

export interface FinishedTurn {
  readonly kind: 'answered';
  readonly conversation: ModelConversation;
  readonly reply: ModelReply;
  /** The value of the answer, if the node has an `output` schema. */
  readonly object: Json;
  /** The name of the model that gave the answer. */
  readonly model: string | null;
}

export type TurnProgress =
  | OpenTurn
  | FinishedTurn
  | { readonly kind: 'failed'; readonly conversation: ModelConversation; readonly failure: TaskFailure };

/** An input that an open turn waits for. */
export type TurnInput =
  | (TaskInput & { readonly kind: 'call.failed' })
  | (TaskInput & { readonly kind: 'call.completed' } & { readonly reply: ModelReply | OverflowReply });

export function isTurnInput(input: TaskInput): input is TurnInput {
  return input.kind === 'call.completed' ? input.reply.kind !== 'value' : input.kind === 'call.failed';
}

/** An open turn as stored in its task's position. */
export type AwaitedTurn = Omit<OpenTurn, 'kind'>;

/** The model turns of a compiled node. */
export interface ModelTurn {
  ask(task: TaskContext, conversation: ModelConversation, offer: ModelOffer): OpenTurn;
  /** Makes the call of an open turn: one that waited for budgets, or a canceled one again under its old key. */
  askAgain(task: TaskContext, awaited: AwaitedTurn, offer: ModelOffer): OpenTurn;
  resume(task: TaskContext, awaited: AwaitedTurn, offer: ModelOffer, input: TurnInput): TurnProgress;
}

/** @param offers what the model is told of the node's own tools, besides graphs */
export function compileModelTurn(
  node: ModelFields,
  settings: NodeSettings,
  offers?: ModelCallPlan['offers'],
): ModelTurn {
  const plan = planModelCalls(node, settings, offers);
  return {
    ask(task, conversation, offer) {
      const question = { ...FIRST_QUESTION, model: firstModel(plan, task) };
      return askQuestion({ plan, task, conversation, offer, question });
    },
    askAgain(task, { conversation, turn }, offer) {
      const callsMade = turn.key === null ? conversation.callsMade : conversation.callsMade - 1;
      return askQuestion({
        plan,
        task,
        conversation: { ...conversation, callsMade },
        offer,
        question: modelQuestionOf(turn),
      });
    },
    resume(task, { conversation, turn }, offer, input) {
      const step = { plan, task, conversation, offer, question: modelQuestionOf(turn) };
      if (input.kind === 'call.failed') return afterFailure(step, input.failure);
      const { reply } = input;
      return reply.kind === 'overflow'
        ? askForSummary(step, reply.messages)
        : afterReply({ ...step, conversation: addUsage(conversation, reply.usage) }, reply);
    },
  };
}

const FIRST_QUESTION: ModelQuestion = { model: 0, corrections: [], summarizing: null };

function modelQuestionOf({ model, corrections, summarizing }: ModelQuestion): ModelQuestion {
  return { model, corrections, summarizing };
}

/** Makes the call for the step's question, or waits until the budgets allow it. */
function askQuestion(step: TurnStep): OpenTurn {
  const { task, conversation, question } = step;
  const request = toModelCall(step);
  const needs = task.missingBudget(request);
  if (needs) return { kind: 'asking', conversation, turn: { key: null, needs, ...question } };
  const key = task.call(conversation.callsMade, request);
  return {
    kind: 'asking',
    conversation: { ...conversation, callsMade: conversation.callsMade + 1 },
    turn: { key, ...question },
  };
}

/** Returns the index of the first model that the run may call; if it may call none, of the first one. */
function firstModel(plan: ModelCallPlan, task: TaskContext): number {
  const order = plan.modelOrder(task.bindings);
  return order.find((index) => isAllowed(plan, task, index)) ?? order[0] ?? 0;
}

/** Returns the index of the next model after a failed one that the run may call; `null` if there is none. */
function modelAfter(plan: ModelCallPlan, task: TaskContext, failed: number): number | null {
  const order = plan.modelOrder(task.bindings);
  return order.slice(order.indexOf(failed) + 1).find((index) => isAllowed(plan, task, index)) ?? null;
}

function isAllowed({ models }: ModelCallPlan, task: TaskContext, index: number): boolean {
  const planned = models[index];
  return planned !== undefined && task.isModelAllowed(planned.model);
}

function afterFailure(step: TurnStep, failure: TaskFailure): TurnProgress {
  const { conversation } = step;
  const { usage } = failure;
  return askNextModel(usage ? { ...step, conversation: addUsage(conversation, usage) } : step, failure);
}

/** Calls the next model. After a content filter, the turn fails instead (docs/models.md). */
function askNextModel(step: TurnStep, failure: TaskFailure): TurnProgress {
  const { plan, task, conversation, question } = step;
  const isFiltered = failure.error.cause?.code === CONTENT_FILTER;
  const model = isFiltered ? null : modelAfter(plan, task, question.model);
  if (model === null) return { kind: 'failed', conversation, failure };
  return askQuestion({ ...step, question: { ...FIRST_QUESTION, model } });
}

/** Requests a summary of the first messages of a request that was too large to be sent. */
function askForSummary(step: TurnStep, messages: number): TurnProgress {
  const { question } = step;
  const { head, rest } = shortenConversation(step);
  const summarizing = Math.min(messages, head.length + rest.length);
  const isNothingNew = summarizing <= head.length;
  if (isNothingNew || question.summarizing !== null) {
    const message = 'The conversation does not fit into the context, even when it is summarized';
    return askNextModel(step, modelFailure(message, 'context_length_exceeded'));
  }
  return askQuestion({ ...step, question: { ...question, summarizing } });
}

function afterReply(step: TurnStep, given: ModelReply): TurnProgress {
  const { plan, offer, question } = step;
  const reply = offer.choice === 'none' ? withoutToolRequests(given) : given;
  const refusal = FAILED_FINISH_REASONS[reply.finishReason];
  if (refusal) return askNextModel(step, modelFailure(refusal.message, refusal.cause));
  if (question.summarizing !== null) return afterSummary(step, question.summarizing, reply);
  const hasCalls = reply.toolCalls.length > 0 && offer.tools.length > 0;
  if (hasCalls || !plan.readOutput) return finishTurn(step, reply, null);
  const output = plan.readOutput(reply.text);
  return 'value' in output ? finishTurn(step, reply, output.value) : askForCorrection(step, reply, output.problem);
}

/** Makes the original call again, after the summary has made room for it. */
function afterSummary(step: TurnStep, summarized: number, reply: ModelReply): TurnProgress {
  const { conversation, question } = step;
  const { text } = reply;
  const failure = summaryFailure(reply);
  if (failure) return askNextModel(step, failure);
  const shortened = shortenConversation(step);
  const summary = extendSummary(shortened, summarized - shortened.head.length, text);
  return askQuestion({
    ...step,
    conversation: { ...conversation, summary },
    question: { ...question, summarizing: null },
  });
}

/** Returns the failure of a summary that would lose what it replaces; `null` if it can be used. */
function summaryFailure({ text, finishReason }: ModelReply): TaskFailure | null {
  if (finishReason === 'length') return modelFailure('The summary of the conversation was cut off', 'truncated');
  return text.trim() === '' ? modelFailure('The model wrote no summary of the conversation') : null;
}

function finishTurn(step: TurnStep, reply: ModelReply, object: Json): FinishedTurn {
  const { plan, task, conversation, question } = step;
  const before = [...plan.conversationStart(task.bindings).messages, ...conversation.messages];
  const model = plan.models[question.model]?.model ?? null;
  return { kind: 'answered', conversation, reply: withUniqueIds(reply, before), object, model };
}

/** The maximum of corrections before the turn fails. */
const MAX_CORRECTIONS = 2;

/**
 * Sends the model the problem of its object. A reply cut off by its token limit fails, because its correction would be
 * cut off as well.
 */
function askForCorrection(step: TurnStep, reply: ModelReply, problem: string): TurnProgress {
  const { question } = step;
  if (reply.finishReason === 'length') {
    const message = 'The reply was cut off before its object was complete; raise maxOutputTokens';
    return askNextModel(step, modelFailure(message, 'truncated'));
  }
  if (question.corrections.length / MESSAGES_PER_CORRECTION >= MAX_CORRECTIONS)
    return askNextModel(step, outputViolation(problem));
  const corrections = [...question.corrections, ...correctionMessages(reply, problem)];
  return askQuestion({ ...step, question: { ...question, corrections } });
}

const MESSAGES_PER_CORRECTION = 2;

function correctionMessages({ text }: ModelReply, problem: string): readonly NewMessage[] {
  const content = `Your answer does not fit the schema: ${problem}. Answer again with the corrected JSON object only.`;
  return [
    { role: 'assistant', content: text },
    { role: 'user', content },
  ];
}

const CONTENT_FILTER = 'content_filter';

/** Failures that a provider reports as the finish reason of an answer. */
const FAILED_FINISH_REASONS: Readonly<Partial<Record<ModelReply['finishReason'], { message: string; cause: string }>>> =
  {
    'content-filter': { message: 'The provider filtered the reply', cause: CONTENT_FILTER },
    refusal: { message: 'The model refused to answer', cause: 'refusal' },
  };

function modelFailure(message: string, cause?: string): TaskFailure {
  const because = cause !== undefined && { cause: { code: cause, message } };
  return { callFailed: true, error: { code: 'MODEL_FAILED', message, ...because } };
}

function outputViolation(problem: string): TaskFailure {
  const message = `The model's answer still breaks the output schema: ${problem}`;
  return { callFailed: true, error: { code: 'OUTPUT_SCHEMA_VIOLATION', message } };
}

import type { ContextPolicy, ContextReport, ModelCallRequest, OverflowReply } from '../../graph/run/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { CallError } from '../calls/call-error.ts';
import type { ToolOffer } from '../models/model.ts';
import { withDistinctIds } from './distinct-ids.ts';
import type { MessageProcessor } from './message-processor.ts';
import type { ModelMeasure } from './model-measures.ts';
import type { ProcessingStep, StepContext } from './processing-step.ts';
import { stepsOf } from './processing-steps.ts';
import { repairCalls } from './repair-calls.ts';
import { createRequestMeter } from './request-meter.ts';
import type { RequestMeter } from './request-meter.ts';

/** Dependencies of fitting a request's messages. */
export interface FittingDeps {
  readonly measure: ModelMeasure;
  /** Message processors of the configuration, by name. */
  readonly processors: Readonly<Record<string, MessageProcessor>>;
  /** Descriptions of the request's tools. */
  readonly tools: readonly ToolOffer[];
}

export interface FittingMessages {
  readonly kind: 'fitting';
  readonly messages: readonly Message[];
  /** `null` without a limit. */
  readonly report: ContextReport | null;
}

/**
 * Fits a request's messages into its limits: tool calls stay with their answers, and the context policy drops the rest.
 * @throws CallError if the messages that must be sent exceed the limit, or a processor is missing or fails
 */
export async function fitMessages(
  request: ModelCallRequest,
  { measure, processors, tools }: FittingDeps,
): Promise<FittingMessages | OverflowReply> {
  const original = withDistinctIds(request.messages);
  const messages = repairCalls(original);
  if (request.context === null) return { kind: 'fitting', messages, report: null };
  const steps = stepsOf(request.context.strategy, processors);
  const meter = createRequestMeter(await measure.loadCounter());
  const limit = limitOf(request.context, request.maxOutputTokens, measure);
  const envelopeTokens = meter.envelope({ ...request, tools });
  const indexes = new Map(original.map(({ id }, index) => [id, index]));
  const processed = await runSteps(steps, messages, {
    maxTokens: Math.max(0, limit - envelopeTokens),
    count: meter.messages,
    indexes,
  });
  if ('kind' in processed) return processed;
  return checkFit(processed, { original, limit, envelopeTokens, meter });
}

/** A policy limits the request; a context window also has to hold the answer. */
function limitOf(
  { maxTokens }: ContextPolicy,
  maxOutputTokens: number | null,
  { contextWindow }: ModelMeasure,
): number {
  const window = (contextWindow ?? Infinity) - (maxOutputTokens ?? 0);
  return Math.max(0, Math.min(maxTokens ?? Infinity, window));
}

async function runSteps(
  steps: readonly ProcessingStep[],
  messages: readonly Message[],
  context: StepContext,
): Promise<readonly Message[] | OverflowReply> {
  let processed = messages;
  for (const step of steps) {
    const next = await step(processed, context);
    if ('kind' in next) return next;
    processed = next;
  }
  return processed;
}

interface FitCheck {
  readonly original: readonly Message[];
  readonly limit: number;
  readonly envelopeTokens: number;
  readonly meter: RequestMeter;
}

function checkFit(messages: readonly Message[], { original, limit, envelopeTokens, meter }: FitCheck): FittingMessages {
  const ofMessages = meter.messages(messages);
  const tokens = Math.ceil(envelopeTokens + ofMessages);
  if (tokens > limit) throw tooLong({ tokens, limit, envelopeTokens });
  const sent = new Set(messages.map(({ id }) => id));
  const dropped = original.filter(({ id }) => !sent.has(id)).length;
  const report = Number.isFinite(limit) ? { tokens, maxTokens: limit, dropped } : null;
  return { kind: 'fitting', messages, report };
}

function tooLong({
  tokens,
  limit,
  envelopeTokens,
}: Pick<FitCheck, 'limit' | 'envelopeTokens'> & { tokens: number }): CallError {
  const message =
    `The request does not fit: what has to be sent takes ${tokens} tokens of ${limit}, ` +
    `${Math.ceil(envelopeTokens)} of them the system prompt and the tools. Raise context.maxTokens, or send less`;
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', reason: 'context_length_exceeded' });
}

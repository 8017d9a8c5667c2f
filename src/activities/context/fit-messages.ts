import type { ContextPolicy, ContextReport, ModelCallRequest, OverflowReply } from '../../graph/run/index.ts';
import {
  answeredFilesOf,
  isFilePart,
  contentParts,
  textOf,
  TOKENS_OF_FILES,
  TOKENS_PER_MESSAGE,
  toolCallsOf,
} from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';
import type { ToolOffer } from '../models/model.ts';
import { withDistinctIds, repairCalls } from './restore-conversation.ts';
import type { MessageProcessor, ProcessingStep, StepContext } from './message-processor.ts';
import type { ModelMeasure, TokenCounter } from './estimate-tokens.ts';
import { processingStepsOf } from './processing-steps.ts';
import { isJsonObject, messageOf } from '../../graph/values/index.ts';

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
  const steps = processingStepsOf(request.context.strategy, processors);
  const meter = createRequestMeter(await measure.loadCounter());
  const limit = tokenLimit(request.context, request.maxOutputTokens, measure);
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

/** The limit of a policy applies to the request; a context window also has to hold the answer. */
function tokenLimit(
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
  if (tokens > limit) throw requestTooLong(tokens, { limit, envelopeTokens });
  const sent = new Set(messages.map(({ id }) => id));
  const dropped = original.filter(({ id }) => !sent.has(id)).length;
  const report = Number.isFinite(limit) ? { tokens, maxTokens: limit, dropped } : null;
  return { kind: 'fitting', messages, report };
}

function requestTooLong(
  tokens: number,
  { limit, envelopeTokens }: Pick<FitCheck, 'limit' | 'envelopeTokens'>,
): CallError {
  const message =
    `The request does not fit: what has to be sent takes ${tokens} tokens of ${limit}, ` +
    `${Math.ceil(envelopeTokens)} of them the system prompt and the tools. Raise context.maxTokens, or send less`;
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', reason: 'context_length_exceeded' });
}

/** The parts of a request besides its messages. */
export type RequestEnvelope = Pick<ModelCallRequest, 'system' | 'output'> & { readonly tools: readonly ToolOffer[] };

/** Counts tokens of a request by parts; the total is their sum. */
export interface RequestMeter {
  readonly envelope: (envelope: RequestEnvelope) => number;
  readonly messages: (messages: readonly Message[]) => number;
}

/** Tokens of a tool call besides its name and arguments. */
const PER_CALL = 4;
/** Tokens with which the answer begins. */
const PER_REQUEST = 3;

/** Creates a meter that counts each message only once. */
export function createRequestMeter(counter: TokenCounter): RequestMeter {
  const counted = new WeakMap<Message, number>();
  const count = checkCounter(counter);
  const tokensOf = (message: Message): number => {
    const tokens =
      counted.get(message) ??
      TOKENS_PER_MESSAGE + count(countedText(message)) + tokensOfFiles(message) + tokensOfCalls(message, count);
    counted.set(message, tokens);
    return tokens;
  };
  return {
    envelope: ({ system, tools, output }) =>
      PER_REQUEST +
      (system === null ? 0 : TOKENS_PER_MESSAGE + count(system)) +
      sumOf(
        tools.map(({ name, description, parameters }) => count(`${name} ${description} ${JSON.stringify(parameters)}`)),
      ) +
      (output === null ? 0 : count(JSON.stringify(output))),
    messages: (messages) => sumOf(messages.map(tokensOf)),
  };
}

/** The text of a message, or its provider parts if these are longer. */
function countedText({ content, name, providerParts }: Message): string {
  const own = textOf(content);
  const text = typeof name === 'string' ? `${name} ${own}` : own;
  const parts = isJsonObject(providerParts) ? JSON.stringify(providerParts['parts'] ?? []) : '';
  return parts.length > text.length ? parts : text;
}

function tokensOfFiles(message: Message): number {
  const files = [...contentParts(message.content).filter(isFilePart), ...answeredFilesOf(message)];
  return sumOf(files.map(({ type }) => TOKENS_OF_FILES[type]));
}

function tokensOfCalls(message: Message, count: TokenCounter): number {
  return sumOf(toolCallsOf(message).map(({ name, args }) => PER_CALL + count(`${name} ${JSON.stringify(args)}`)));
}

/** Checks a counter's results, since a counter may be configured code. */
function checkCounter(counter: TokenCounter): TokenCounter {
  return (text) => {
    const tokens = countTokensWith(counter, text);
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw unusableContext(`it has counted ${tokens}`);
  };
}

function countTokensWith(counter: TokenCounter, text: string): number {
  try {
    return counter(text);
  } catch (error) {
    throw unusableContext(messageOf(error), error);
  }
}

function unusableContext(problem: string, cause?: unknown): CallError {
  const message = `The model's token counter can't be used: ${problem}`;
  return new CallError('MODEL_FAILED', message, { ...REFUSED, cause });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

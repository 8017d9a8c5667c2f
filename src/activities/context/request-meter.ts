import type { ModelCallRequest } from '../../graph/run/index.ts';
import { isJsonObject, messageOf } from '../../graph/values/index.ts';
import { isFilePart, partsOf, textOf, toolCallsOf } from '../../graph/definition/index.ts';
import type { FilePart, Message } from '../../graph/definition/index.ts';
import { CallError } from '../calls/call-error.ts';
import type { ToolOffer } from '../models/model.ts';
import type { TokenCounter } from './estimate-tokens.ts';

/** The parts of a request besides its messages. */
export type RequestEnvelope = Pick<ModelCallRequest, 'system' | 'output'> & { readonly tools: readonly ToolOffer[] };

/** Counts tokens of a request by parts; the total is their sum. */
export interface RequestMeter {
  readonly envelope: (frame: RequestEnvelope) => number;
  readonly messages: (messages: readonly Message[]) => number;
}

/** Tokens of a message besides its text, as OpenAI counts: its role and separators. */
const PER_MESSAGE = 4;
/** Tokens of a tool call besides its name and arguments. */
const PER_CALL = 4;
/** Tokens with which the answer begins. */
const PER_REQUEST = 3;

/** Creates a meter that counts each message only once. */
export function createRequestMeter(counter: TokenCounter): RequestMeter {
  const counted = new WeakMap<Message, number>();
  const count = checked(counter);
  const tokensOf = (message: Message): number => {
    const tokens =
      counted.get(message) ??
      PER_MESSAGE + count(saidIn(message)) + tokensOfFiles(message) + tokensOfCalls(message, count);
    counted.set(message, tokens);
    return tokens;
  };
  return {
    envelope: ({ system, tools, output }) =>
      PER_REQUEST +
      (system === null ? 0 : PER_MESSAGE + count(system)) +
      sum(
        tools.map(({ name, description, parameters }) => count(`${name} ${description} ${JSON.stringify(parameters)}`)),
      ) +
      (output === null ? 0 : count(JSON.stringify(output))),
    messages: (messages) => sum(messages.map(tokensOf)),
  };
}

/** The text of a message, or its provider parts if these are longer. */
function saidIn({ content, name, providerParts }: Message): string {
  const said = textOf(content);
  const text = typeof name === 'string' ? `${name} ${said}` : said;
  const parts = isJsonObject(providerParts) ? JSON.stringify(providerParts['parts'] ?? []) : '';
  return parts.length > text.length ? parts : text;
}

/** What a picture takes at most of Claude, and a document of a few pages of all providers. */
const TOKENS_OF_FILES: Readonly<Record<FilePart['type'], number>> = { image: 1_600, file: 5_000 };

function tokensOfFiles({ content }: Message): number {
  return sum(partsOf(content).map((part) => (isFilePart(part) ? TOKENS_OF_FILES[part.type] : 0)));
}

function tokensOfCalls(message: Message, count: TokenCounter): number {
  return sum(toolCallsOf(message).map(({ name, args }) => PER_CALL + count(`${name} ${JSON.stringify(args)}`)));
}

/** Checks a counter's results, since a counter may be configured code. */
function checked(counter: TokenCounter): TokenCounter {
  return (text) => {
    const tokens = countWith(counter, text);
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw unusable(`it has counted ${tokens}`);
  };
}

function countWith(counter: TokenCounter, text: string): number {
  try {
    return counter(text);
  } catch (error) {
    throw unusable(messageOf(error), error);
  }
}

function unusable(problem: string, cause?: unknown): CallError {
  const message = `The model's token counter can't be used: ${problem}`;
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', cause });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

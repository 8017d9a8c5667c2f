import { CallError } from '../activities/calls/call-error.ts';
import type { ModelRequest, OwnReply } from '../activities/models/model.ts';
import { textOf } from '../graph/definition/index.ts';
import { MissingAnswerError } from '../simulation/decisions.ts';
import { toOwnReply } from '../simulation/scripted-answer.ts';
import type { ScriptedAnswer } from '../simulation/scripted-answer.ts';
import { after } from './fake-code.ts';
import type { Delayed } from './fake-code.ts';

/** One answer of a model. A text alone is an answer with this text. */
export type ModelAnswer = string | ScriptedAnswer | ScriptedFailure;

/** One answer of a scripted model, or a function of the request. */
export type ScriptedReply = ModelAnswer | ((request: ModelRequest) => ScriptedReply);

/** The request fails; the node's retry policy applies, unless the error is a `CallError` that rules retries out. */
export interface ScriptedFailure {
  readonly error: string | Error;
  readonly delay?: string | undefined;
}

/** A reply, or a reply or failure that comes later. */
type TimedReply = OwnReply | Delayed<OwnReply | Error>;

/** A model that gives the answers of a list, one a request. */
export interface ScriptedModel {
  /** Takes the next answer. */
  readonly generate: (request: ModelRequest) => TimedReply;
  /** All requests so far, as they were sent: after the context policy, with the tools on offer. */
  readonly requests: readonly ModelRequest[];
  /** The number of answers that no request has taken. */
  left(): number;
  /** @throws Error that lists the answers which no request has taken */
  assertExhausted(): void;
}

/** Creates a model that gives these answers in order. One request more ends the test with a `MissingAnswerError`. */
export function scriptedModel(replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    generate(request) {
      requests.push(request);
      const reply = replies[requests.length - 1];
      if (reply === undefined) throw new MissingAnswerError(scriptExhausted(replies.length, request));
      return toTimedReply(answerRequest(reply, request));
    },
    left: () => Math.max(0, replies.length - requests.length),
    assertExhausted() {
      const left = replies.slice(requests.length);
      if (left.length === 0) return;
      const lines = left.map((reply) => `- ${typeof reply === 'function' ? 'a function' : JSON.stringify(reply)}`);
      throw new Error([`${left.length} of ${replies.length} answers were not asked for:`, ...lines].join('\n'));
    },
  };
}

/** In characters of the last message. */
const MAX_QUOTED_MESSAGE = 200;

function scriptExhausted(count: number, { model, messages }: ModelRequest): string {
  const last = messages.at(-1);
  const quoted = last
    ? `; the last message is ${last.role}: ${JSON.stringify(textOf(last.content).slice(0, MAX_QUOTED_MESSAGE))}`
    : '';
  return `The model "${model}" is asked for answer ${count + 1}, and its script has ${count}${quoted}`;
}

/** @throws MissingAnswerError for a tool call that does not name its tool */
export function toTimedReply(answer: ModelAnswer): TimedReply {
  if (typeof answer === 'string') return { text: answer };
  if ('error' in answer) return after(answer.delay ?? '0s', toScriptedError(answer));
  for (const call of answer.toolCalls ?? [])
    if (typeof call.tool !== 'string')
      throw new MissingAnswerError(`A tool call of a model's answer is { tool, args }, not ${JSON.stringify(call)}`);
  return after(answer.delay ?? '0s', toOwnReply(answer));
}

function answerRequest(reply: ScriptedReply, request: ModelRequest): ModelAnswer {
  return typeof reply === 'function' ? answerRequest(reply(request), request) : reply;
}

function toScriptedError({ error }: ScriptedFailure): Error {
  return typeof error === 'string' ? new CallError('MODEL_FAILED', error, { retryable: true, done: 'perhaps' }) : error;
}

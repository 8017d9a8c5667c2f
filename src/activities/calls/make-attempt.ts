import type { CallSafety } from '../../graph/definition/index.ts';
import { calleeOf } from '../../graph/run/index.ts';
import type { CallReply, CallRequest } from '../../graph/run/index.ts';
import { toJson, isJsonList, isJsonObject, jsonSize } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { CallError, REFUSED } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import type { TimeLimit } from './time-limit.ts';
import { inAttemptSpan } from './attempt-span.ts';
import { replyUsage } from './judge-attempt.ts';
import { measure } from '../../telemetry/metrics/meter.ts';

/** The part of a call that depends on its kind. Claims, time limits, retries and records are the same for all. */
export interface CallBehavior<R extends CallRequest> {
  readonly safety: (request: R) => CallSafety;
  readonly execute: (task: CallTask<R>, signal: AbortSignal, made: MadeAttempt) => Promise<CallReply>;
  /** True if spans of calls contain requests and answers; false by default. */
  readonly showsContents?: boolean;
}

/** An attempt as the code of a call receives it. */
export interface MadeAttempt {
  /** The number of the attempt, without attempts that were lost with their worker. */
  readonly attempt: number;
  /** The number of the attempt, including lost ones; `attempt` by default. */
  readonly turn?: number;
  /** Stores the sent request for people, where the task does not contain it. */
  readonly keep?: KeptRequest['keep'];
  readonly prepare?: TimeLimit['prepare'];
}

/** One attempt to make a call. */
export interface Attempt<R extends CallRequest> {
  readonly kind: CallBehavior<R>;
  readonly task: CallTask<R>;
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** How many attempts the server has started, including this one; a process that died has recorded no failure. */
  readonly begun?: number;
  readonly keep?: KeptRequest['keep'];
}

/** A reply, and the bytes of its JSON text. */
export interface MeasuredReply {
  readonly reply: CallReply;
  readonly bytes: number;
}

/** A reply becomes part of the run's state. */
const MAX_REPLY_BYTES = 5_000_000;

/** Makes one attempt of a call within its time limit. @throws CallError */
export async function makeAttempt<R extends CallRequest>(
  { kind, task, failures, begun = 1, keep }: Attempt<R>,
  limit: TimeLimit,
): Promise<MeasuredReply> {
  if (limit.isExpired) throw new CallError('TIMEOUT', 'The deadline for all attempts is over', REFUSED);
  const attempt = failures + 1;
  const { prepare } = limit;
  const made = { attempt, turn: Math.max(attempt, begun), prepare, ...(keep && { keep }) };
  const traced = { task, attempt, showsContents: kind.showsContents ?? false };
  const reply = await measuredAttempt(task.request, () =>
    inAttemptSpan(traced, () => limit.bound(kind.execute(task, limit.signal, made))),
  );
  // A reply that is too large must fail here: the server would refuse it in every attempt.
  const bytes = Buffer.byteLength(JSON.stringify(toJson(reply)));
  if (bytes <= MAX_REPLY_BYTES) return { reply, bytes };
  throw new CallError('PAYLOAD_TOO_LARGE', `The result takes ${bytes} bytes; ${MAX_REPLY_BYTES} are allowed`, {
    retryable: false,
    done: 'perhaps',
    usage: replyUsage(reply),
  });
}

/** The maximum size of a request in the ledger, in bytes. */
export const MAX_KEPT_BYTES = 65_536;

/** The request of a call, stored for people. */
export interface KeptRequest {
  /** Replaces the stored request once it is known, such as the messages that fit. */
  readonly keep: (sent: Json) => void;
  /** @returns `null` if nothing was sent yet, or the request is too large */
  readonly kept: () => Json;
}

/** Returns a holder for the stored request. Requests to models are unknown until their messages are fitted. */
export function openKeptRequest(request: CallRequest): KeptRequest {
  let kept: Json = request.kind === 'model' ? null : fitIntoLedger(codeInput(request));
  return {
    keep: (sent) => void (kept = fitIntoLedger(sent)),
    kept: () => kept,
  };
}

/** The input of a call's code: arguments of a tool or function, fields of a node. */
function codeInput(request: Exclude<CallRequest, { readonly kind: 'model' }>): Json {
  const args = request.kind === 'node' ? request.config : request.args;
  return { ...calleeOf(request), args };
}

/**
 * Reduces a request to the size limit of the ledger: a prompt keeps its latest messages; any other request that is too
 * large is omitted.
 */
function fitIntoLedger(sent: Json): Json {
  const request = toJson(sent);
  if (jsonSize(request) <= MAX_KEPT_BYTES) return request;
  const messages = isJsonObject(request) ? request['messages'] : undefined;
  return isJsonObject(request) && isJsonList(messages) ? withLatestMessages(request, messages) : null;
}

function withLatestMessages(request: Readonly<Record<string, Json>>, messages: readonly Json[]): Json {
  let left = MAX_KEPT_BYTES - jsonSize({ ...request, messages: [], omitted: messages.length });
  const firstKept = messages.findLastIndex((message) => (left -= jsonSize(message) + 1) < 0) + 1;
  return left < 0 && firstKept === messages.length
    ? null
    : { ...request, messages: messages.slice(firstKept), omitted: firstKept };
}

/** Makes an attempt of a call and measures its duration. Requests to models are also measured by the model client. */
async function measuredAttempt(request: CallRequest, make: () => Promise<CallReply>): Promise<CallReply> {
  const start = performance.now();
  const { kind, name } = calleeOf(request);
  const record = (error: string | undefined): void => {
    const seconds = (performance.now() - start) / 1_000;
    const outcome = error === undefined ? 'completed' : 'failed';
    measure('holdfast.call.duration', seconds, { kind, called: name, outcome });
    if (kind === 'model' || kind === 'reading') return;
    measure('gen_ai.execute_tool.duration', seconds, { 'gen_ai.tool.name': name, 'error.type': error });
  };
  try {
    const reply = await make();
    record(undefined);
    return reply;
  } catch (error) {
    record(error instanceof CallError ? error.code : 'INTERNAL');
    throw error;
  }
}

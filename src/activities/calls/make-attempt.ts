import type { CallSafety } from '../../graph/definition/index.ts';
import type { CallReply, CallRequest } from '../../graph/run/index.ts';
import { toJson } from '../../graph/values/index.ts';
import { CallError } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import type { KeptRequest } from './kept-request.ts';
import type { TimeLimit } from './time-limit.ts';
import { inAttemptSpan } from './spans/attempt-span.ts';
import { measuredAttempt } from './measured-attempt.ts';
import { usageOf } from './used-tokens.ts';

/** The part of a call that depends on its kind. Claims, time limits, retries and records are the same for all. */
export interface CallBehavior<R extends CallRequest> {
  readonly safety: (request: R) => CallSafety;
  readonly execute: (task: CallTask<R>, signal: AbortSignal, made: MadeAttempt) => Promise<CallReply>;
  /** The spans of calls hold what is sent and answered; the default is no. */
  readonly showsContents?: boolean;
}

/** An attempt as the code of a call sees it. */
export interface MadeAttempt {
  /** Leaves out attempts that were lost with their worker. */
  readonly attempt: number;
  /** Counts lost attempts, too; the default is `attempt`. */
  readonly turn?: number;
  /** Takes what is sent, where the task does not say it; for people. */
  readonly keep?: KeptRequest['keep'];
  readonly prepare?: TimeLimit['prepare'];
}

/** What one attempt is about. */
export interface Attempt<R extends CallRequest> {
  readonly kind: CallBehavior<R>;
  readonly task: CallTask<R>;
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** How often the server has had the call made, this time included; a process that died has recorded no failure. */
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
  if (limit.isExpired)
    throw new CallError('TIMEOUT', 'The deadline for all attempts is over', { retryable: false, done: 'no' });
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
    usage: usageOf(reply),
  });
}

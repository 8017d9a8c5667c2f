import type { RunEvent } from '../journal/events.ts';
import { isStoredFile } from '../definition/message.ts';
import { isCallReply } from '../run/call.ts';
import type { CallReply } from '../run/effect.ts';
import type { Occurrence, OccurrenceBody, RecordedOccurrence } from '../run/occurrence.ts';
import type { OpenCall, Run } from '../run/run.ts';
import type { TaskFailure } from '../values/errors.ts';
import { isJsonObject, itemsIn } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/** The end of a call as stored in the ledger. An open call has neither a result nor a failure. */
export interface RecordedAnswer {
  readonly result: Json;
  readonly failure: TaskFailure | null;
  readonly failures: number;
}

/** The stored data of an ended run, with its id replaced by that of the replay. */
export interface ReplayLog {
  /** The events from number 1, without gaps. */
  readonly events: readonly RunEvent[];
  readonly occurrences: readonly RecordedOccurrence[];
  /** The answers, by the keys of the replay's calls. */
  readonly answers: ReadonlyMap<string, RecordedAnswer>;
}

type RecordedReply = RecordedOccurrence & { readonly kind: 'call.completed' };

/** Completes a recorded occurrence for the interpreter. @returns `null` if a call's reply is not recorded */
export function completeOccurrence(recorded: RecordedOccurrence, log: ReplayLog): Occurrence | null {
  return recorded.kind === 'call.completed' ? completeReply(recorded, log) : recorded;
}

function completeReply(recorded: RecordedReply, { events, answers }: ReplayLog): Occurrence | null {
  const event = events[recorded.seq];
  const answer = answers.get(recorded.key);
  const reply = recorded.reply ?? replyInEvent(event, recorded.key, answer) ?? answer?.result;
  if (!isCallReply(reply)) return null;
  const isLocal = recorded.reply !== undefined || isRecordedAsLocal(event);
  return { ...recorded, reply, ...recordedEffort(event, answer), ...(isLocal && { isLocal }) };
}

function isRecordedAsLocal(event: RunEvent | undefined): boolean {
  return isOfCode(event) && event.local === true;
}

type EndOfCode = RunEvent & { readonly type: 'tool.called' | 'function.called' };

function isOfCode(event: RunEvent | undefined): event is EndOfCode {
  return event?.type === 'tool.called' || event?.type === 'function.called';
}

function recordedEffort(
  event: RunEvent | undefined,
  answer: RecordedAnswer | undefined,
): { readonly attempts: number; readonly durationMs: number } {
  if (!isOfCode(event) && event?.type !== 'model.called')
    return { attempts: (answer?.failures ?? 0) + 1, durationMs: 0 };
  const { attempts, durationMs } = event;
  return { attempts, durationMs };
}

/**
 * Returns the reply in an event, with the files that only the ledger has. A result that could not be written to the
 * ledger is only in the event.
 */
function replyInEvent(event: RunEvent | undefined, key: string, answer: RecordedAnswer | undefined): CallReply | null {
  const isOfCall = event?.type === 'tool.called' && event.idempotencyKey === key && !event.error;
  if (!isOfCall) return null;
  const files = isJsonObject(answer?.result) ? itemsIn(answer.result['files']).filter(isStoredFile) : [];
  return { kind: 'value', value: event.result ?? null, ...(files.length > 0 && { files }) };
}

/**
 * Returns how calls and timers ended, by their keys and ids. For a call that a person has repeated, the last end
 * counts.
 */
export function recordedEnds({ occurrences }: Pick<ReplayLog, 'occurrences'>): ReadonlyMap<string, RecordedOccurrence> {
  const ends = new Map<string, RecordedOccurrence>();
  for (const recorded of occurrences) {
    if ('key' in recorded) ends.set(recorded.key, recorded);
    if (recorded.kind === 'timer') ends.set(recorded.id, recorded);
  }
  return ends;
}

/**
 * Returns an answer to an open call that the recorded run never processed, because it had ended or taken another path.
 */
export function findUnprocessedAnswer({ calls }: Run, { answers }: ReplayLog): OccurrenceBody | null {
  for (const [key, call] of Object.entries(calls)) {
    const { result, failure, failures } = answers.get(key) ?? NO_ANSWER;
    if (isCallReply(result) && isReplyTo(call, result))
      return { kind: 'call.completed', key, reply: result, attempts: failures + 1, durationMs: 0 };
    if (failure) return { kind: 'call.failed', key, failure };
  }
  return null;
}

/** False for a reply of a model to other code, or the reverse: another graph may make another call at the same position. */
export function isReplyTo({ called }: Pick<OpenCall, 'called'>, { kind }: Pick<CallReply, 'kind'>): boolean {
  return (called.kind === 'model') === (kind !== 'value');
}

const NO_ANSWER: RecordedAnswer = { result: null, failure: null, failures: 0 };

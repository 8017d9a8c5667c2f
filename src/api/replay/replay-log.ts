import type { RunEvent } from '../../graph/journal/index.ts';
import { approvalTimerId, DEADLINE_TIMER, isCallReply, taskKey } from '../../graph/run/index.ts';
import type { CallReply, OccurrenceBody, OpenCall, RecordedSignal, Run, TaskPath } from '../../graph/run/index.ts';
import type { TaskFailure } from '../../graph/values/index.ts';
import { deepEqual, toJson } from '../../graph/values/index.ts';
import type { RecordedAnswer } from '../../store/ledger.ts';

/** What the store knows of a run that has ended, with its id replaced by that of the replay. */
export interface ReplayLog {
  readonly events: readonly RunEvent[];
  readonly signals: readonly RecordedSignal[];
  /** By the keys that the calls of the replay have. */
  readonly answers: ReadonlyMap<string, RecordedAnswer>;
}

/** What happened next to the run, told by the event that it led to. @returns `null`: nothing that a replay can repeat */
export function occurrenceBefore(event: RunEvent, run: Run, { answers }: ReplayLog): OccurrenceBody | null {
  switch (event.type) {
    case 'tool.called':
    case 'model.called':
    case 'compensation.failed':
      return answerIfOpen(event, callOf(event, run), answers);
    case 'approval.expired':
      return { kind: 'timer', id: approvalTimerId(event.approvalId) };
    case 'run.failed':
      return event.error.code === 'DEADLINE_EXCEEDED' && DEADLINE_TIMER in run.timers
        ? { kind: 'timer', id: DEADLINE_TIMER }
        : anyAnswer(run, answers);
    default:
      return ofOpenCall(event, run, answers) ?? timerOf(event, run) ?? anyAnswer(run, answers);
  }
}

/** Any call that is open and has been answered before: where the replay has left what was recorded. */
export function anyAnswer({ calls }: Run, answers: ReplayLog['answers']): OccurrenceBody | null {
  const key = Object.keys(calls).find((open) => answers.has(open));
  return key === undefined ? null : answerAs(null, key, answers);
}

/** A call that was called back before any worker took it has left nothing but the event of its task. */
function ofOpenCall(event: RunEvent, run: Run, answers: ReplayLog['answers']): OccurrenceBody | null {
  const key = callOf(event, run);
  const answered = answerIfOpen(null, key, answers);
  if (answered || key === null || event.type !== 'node.failed') return answered;
  return { kind: 'call.failed', key, failure: { error: withoutPlace(event.error), callFailed: false } };
}

/** The open call that an event is about. */
function callOf(event: RunEvent, { calls }: Run): string | null {
  if (event.type === 'tool.called') return event.idempotencyKey in calls ? event.idempotencyKey : null;
  const open = Object.entries(calls).find(([key, call]) => isAbout(event, key, call));
  return open ? open[0] : null;
}

function isAbout(event: RunEvent, key: string, { taskPath, called, compensates }: OpenCall): boolean {
  if (compensates) return event.type === 'node.compensated' || event.type === 'compensation.failed';
  if (!('visit' in event) || (event.type === 'model.called' && called.kind !== 'model')) return false;
  return isOfTask(event, taskPath) && key.split(':').at(-3) === String(event.visit);
}

function isOfTask({ path = [], ...event }: RunEvent, task: TaskPath): boolean {
  if (!('node' in event) || event.node === undefined) return false;
  const index = 'index' in event ? event.index : undefined;
  const around = task.slice(0, -1).map((key) => key.split('#')[0]);
  return task.at(-1) === taskKey(event.node, index) && around.join('/') === path.join('/');
}

/** Of several timers that an event may be about, the one that fires first. */
function timerOf(event: RunEvent, { timers }: Run): OccurrenceBody | null {
  const candidates = Object.entries(timers).filter(([, { taskPath }]) => isOfTask(event, taskPath));
  const [first] = candidates.toSorted(([, a], [, b]) => a.fireAt - b.fireAt);
  return first ? { kind: 'timer', id: first[0] } : null;
}

type Called = RunEvent & { readonly type: 'tool.called' | 'model.called' | 'compensation.failed' };

function answerIfOpen(event: Called | null, key: string | null, answers: ReplayLog['answers']): OccurrenceBody | null {
  return key === null ? null : answerAs(event, key, answers);
}

function answerAs(event: Called | null, key: string, answers: ReplayLog['answers']): OccurrenceBody | null {
  const answer = answers.get(key);
  if (event?.error)
    return {
      kind: 'call.failed',
      key,
      failure: failureOf(event.error, answer) ?? failureIn(event.error, key, answers),
    };
  const reply = replyIn(event) ?? answer?.result;
  if (isCallReply(reply)) return { kind: 'call.completed', key, reply, ...effortOf(event, answer) };
  return answer?.failure ? { kind: 'call.failed', key, failure: answer.failure } : null;
}

function replyIn(event: Called | null): CallReply | null {
  return event?.type === 'tool.called' ? { kind: 'value', value: event.result ?? null } : null;
}

function effortOf(event: Called | null, answer: RecordedAnswer | undefined): { attempts: number; durationMs: number } {
  const { attempts = (answer?.failures ?? 0) + 1, durationMs = 0 } = event && 'attempts' in event ? event : {};
  return { attempts, durationMs };
}

/** What the ledger holds of a failure; of a call that a person has ordered again it holds the last one only. */
function failureOf(error: CalledError, answer: RecordedAnswer | undefined): TaskFailure | null {
  const kept = answer?.failure ?? null;
  return kept && deepEqual(toJson(kept.error), toJson(withoutPlace(error))) ? kept : null;
}

function failureIn(error: CalledError, key: string, answers: ReplayLog['answers']): TaskFailure {
  return { error: withoutPlace(error), callFailed: isMadeAgain(key, answers) };
}

type CalledError = NonNullable<Called['error']>;

function withoutPlace({ node: _node, step: _step, ...error }: CalledError) {
  return error;
}

/** A call that is known to have failed is made again under a key of the next round. */
function isMadeAgain(key: string, answers: ReplayLog['answers']): boolean {
  const parts = key.split(':');
  return answers.has([...parts.slice(0, -1), Number(parts.at(-1)) + 1].join(':'));
}

import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LOCAL_LIMIT_MS } from '../../graph/definition/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import type { CallSlots } from './call-admission.ts';
import { CallError } from './call-error.ts';
import type { CallTask, LocalEnd, LocalFailure, LocalOutcome, LocalTraces } from './call-task.ts';
import { judgeAttempt } from './judge-attempt.ts';
import type { AttemptVerdict, RetryVerdict } from './judge-attempt.ts';
import { makeAttempt } from './make-attempt.ts';
import type { Attempt, CallBehavior } from './make-attempt.ts';
import { reportFailure } from './report-failure.ts';
import { openTimeLimit } from './time-limit.ts';
import type { TimeLimit } from './time-limit.ts';

/** The maximum number of attempts before an activity continues the call, and the longest delay between two. */
const MAX_LOCAL_ATTEMPTS = 3;
const MAX_LOCAL_PAUSE_MS = 250;

/**
 * Makes a call in a local activity, without the ledger: Temporal's marker is its record. An activity takes over if the
 * call is no longer idempotent, no slot is free, or the time is up. A failure is an outcome: the workflow measures its
 * time.
 */
export async function performLocally<R extends CallRequest>(
  slots: CallSlots,
  kind: CallBehavior<R>,
  task: CallTask<R>,
): Promise<LocalOutcome> {
  const startedAt = Date.now();
  const end = await performInSlot(slots, { kind, task, failures: 0, failed: null, endsAt: startedAt + LOCAL_LIMIT_MS });
  return { ...end, startedAt, endedAt: Date.now() };
}

interface LocalAttempt<R extends CallRequest> extends Attempt<R> {
  /** The failure of the previous attempt. */
  readonly failed: LocalFailure | null;
  /** The end of the local part of the call, in milliseconds since the epoch. */
  readonly endsAt: number;
}

async function performInSlot<R extends CallRequest>(slots: CallSlots, attempt: LocalAttempt<R>): Promise<LocalEnd> {
  const { kind, task, failed } = attempt;
  if (kind.safety(task.request) !== 'idempotent') return { kind: 'left', failed };
  const slot = slots.take(task.tenantId);
  if (slot.kind === 'refused') return { kind: 'left', failed };
  try {
    return await attemptLocally(attempt);
  } finally {
    slot.giveBack();
  }
}

/** Makes an attempt, and further ones if their delay is short. */
async function attemptLocally<R extends CallRequest>(attempt: LocalAttempt<R>): Promise<LocalEnd> {
  const { task, failures, endsAt } = attempt;
  const { policy } = task.request;
  const timeoutMs = Math.min(policy.timeoutMs, endsAt - Date.now());
  const limit = openTimeLimit({ ...policy, timeoutMs }, Context.current());
  try {
    return { kind: 'made', ...(await makeAttempt(attempt, limit)), attempts: failures + 1 };
  } catch (thrown) {
    const isCut = limit.isCanceled() || (Date.now() >= endsAt && timeoutMs < policy.timeoutMs);
    // The engine interrupts such an attempt, so it does not count.
    if (isCut) return { kind: 'left', ...tracesOfCut(attempt, thrown) };
    const verdict = judgeLocalAttempt(attempt, limit, thrown);
    if (verdict.status === 'retrying') return await tryAgain(attempt, verdict);
    reportFailure(task, verdict);
    return { kind: 'failed', failure: verdict.failure };
  } finally {
    limit.close();
  }
}

/** After an interrupted attempt that may have made the call, no earlier failure proves that it was not made. */
function tracesOfCut<R extends CallRequest>({ failed }: LocalAttempt<R>, thrown: unknown): LocalTraces {
  if (thrown instanceof CallError && thrown.done === 'no') return { failed };
  return { failed: failed && { ...failed, failure: { ...failed.failure, callFailed: false } }, perhapsMade: true };
}

function judgeLocalAttempt<R extends CallRequest>(
  attempt: LocalAttempt<R>,
  limit: TimeLimit,
  thrown: unknown,
): AttemptVerdict {
  const { task, failures, failed } = attempt;
  const mayBeDone = failed?.failure.callFailed === false;
  const known = { task, safety: 'idempotent', failures, mayBeDone, usedBefore: null } as const;
  return judgeAttempt({ ...known, limit, isCancelRequested: false, jitter: Math.random() }, thrown);
}

async function tryAgain<R extends CallRequest>(
  attempt: LocalAttempt<R>,
  { failures, failure, delayMs }: RetryVerdict,
): Promise<LocalEnd> {
  const nextAt = Date.now() + delayMs;
  const failed = { failures, failure, nextAttemptAt: new Date(nextAt).toISOString() };
  reportFailure(attempt.task, failed);
  if (failures >= MAX_LOCAL_ATTEMPTS || delayMs > MAX_LOCAL_PAUSE_MS || nextAt >= attempt.endsAt)
    return { kind: 'left', failed };
  await setTimeout(delayMs);
  return await attemptLocally({ ...attempt, failures, failed });
}

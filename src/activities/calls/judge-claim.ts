import type { CallSafety } from '../../graph/definition/index.ts';
import type { Json, TaskFailure, TokenUsage } from '../../graph/values/index.ts';
import type { ClaimJudgement, LedgerEntry, SeenEntry } from '../../store/calls/ledger-claims.ts';
import { CallError, REFUSED } from './call-error.ts';

/** The answer to a claimant that must not make the call now. */
export type LedgerAnswer =
  | { readonly kind: 'completed'; readonly result: Json; readonly attempts: number }
  | { readonly kind: 'failed'; readonly failure: TaskFailure }
  /** Another attempt is probably making the call. */
  | { readonly kind: 'in-progress' }
  /** The attempt was lost, and its outcome is unknown. */
  | { readonly kind: 'lost'; readonly why: string; readonly seen: SeenEntry };

export interface Claimant {
  readonly requestHash: string;
  readonly takeover: number;
  /** Time at which the server scheduled the attempt, in milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly safety: CallSafety;
  /** True for an earlier claim after which no call was made. */
  readonly isUnused: (claim: string) => boolean;
  /** Silence, in milliseconds, after which an attempt counts as lost. */
  readonly lostAfterMs: number;
}

/**
 * Judges a claim on a call that is in the ledger. A final failure or an unknown outcome is repeated only for a takeover
 * by a person, who may have corrected the request. An unsafe call is never taken over from an attempt that is alive.
 * @throws CallError `INTERNAL` if the key belongs to another request: a call never runs with another one's arguments
 */
export function judgeClaim(claimant: Claimant, entry: LedgerEntry): ClaimJudgement<LedgerAnswer> {
  const isTakeover = claimant.takeover > entry.takeover;
  if (entry.requestHash !== claimant.requestHash && !isTakeover) {
    throw new CallError('INTERNAL', 'The same idempotency key was used for another request', REFUSED);
  }
  if (isSuperseded(claimant, entry)) return IN_PROGRESS;
  const isUnused = claimant.isUnused(entry.claim);
  const isLost = entry.ageMs >= claimant.lostAfterMs;
  const mayRepeat = claimant.safety !== 'unsafe' || (isTakeover && isLost);
  return judgeEntry(entry, { isTakeover, isUnused, mayRepeat, isLost });
}

const WORKER_LOST = 'The worker was lost before it recorded the outcome of the call';
const NOT_REPEATABLE = 'An earlier attempt may have made the call, which is unsafe since then';
const IN_PROGRESS = { isGranted: false, answer: { kind: 'in-progress' } } as const;

/** True if the server has given up this attempt and a later one makes the call. */
function isSuperseded(claimant: Claimant, { status, scheduledAt }: LedgerEntry): boolean {
  return (status === 'claimed' || status === 'retrying') && claimant.scheduledAt < scheduledAt;
}

interface ClaimState {
  /** A person has raised the takeover number since the last claim. */
  readonly isTakeover: boolean;
  /** The attempt that holds the claim is known to have made no call. */
  readonly isUnused: boolean;
  /** The call may be made although that attempt may have made it. */
  readonly mayRepeat: boolean;
  /** That attempt has not renewed its claim for too long. */
  readonly isLost: boolean;
}

function judgeEntry(entry: LedgerEntry, state: ClaimState): ClaimJudgement<LedgerAnswer> {
  const { isTakeover, mayRepeat } = state;
  switch (entry.status) {
    case 'completed':
      return { isGranted: false, answer: toCompletedAnswer(entry) };
    case 'retrying':
      return judgeRetrying(entry, mayRepeat || isTakeover);
    case 'claimed':
      return judgeClaimed(entry, state);
    case 'failed':
    case 'unknown':
      if (isTakeover) return { isGranted: true, failures: 0 };
      return { isGranted: false, answer: toFailedAnswer(entry) };
  }
}

function judgeClaimed(entry: LedgerEntry, { isUnused, mayRepeat, isLost }: ClaimState): ClaimJudgement<LedgerAnswer> {
  if (isUnused) return { isGranted: true, failures: entry.failures };
  if (mayRepeat) return { isGranted: true, failures: entry.failures, lostAttempt: lostAttemptAfter(entry) };
  return isLost ? toLostAnswer(entry, WORKER_LOST) : IN_PROGRESS;
}

/** @param mayRepeat the call may be made although an earlier attempt may have made it */
function judgeRetrying(entry: LedgerEntry, mayRepeat: boolean): ClaimJudgement<LedgerAnswer> {
  if (isPerhapsDone(entry) && !mayRepeat) return toLostAnswer(entry, NOT_REPEATABLE);
  return { isGranted: true, failures: entry.failures };
}

/**
 * The answer to the first claim on a call that was `idempotent` in its earlier attempts, which left no trace, and is
 * `unsafe` now.
 */
export function lostWithoutClaim(claim: string): LedgerAnswer {
  return { kind: 'lost', why: WORKER_LOST, seen: { claim, status: 'claimed' } };
}

/** @returns silence, in milliseconds, after which an attempt counts as lost */
export function lostAfterSilenceMs(heartbeatMs: number): number {
  return 2 * heartbeatMs;
}

/** The failure to record for an attempt whose claim is taken over. It keeps the tokens of the attempts before it. */
function lostAttemptAfter(entry: LedgerEntry): TaskFailure {
  const usage = unreportedUsage(entry);
  return { callFailed: false, error: { code: 'INTERNAL', message: WORKER_LOST }, ...(usage && { usage }) };
}

/** The tokens that earlier attempts have used of a model. A final failure has reported them to the run already. */
export function unreportedUsage(entry: LedgerEntry | null): TokenUsage | null {
  const isReported = entry?.status === 'failed' || entry?.status === 'unknown';
  return isReported ? null : (entry?.failure?.usage ?? null);
}

/** The default of claimants without the details of earlier heartbeats. */
export const NONE_UNUSED = (): boolean => false;

/** True if an earlier attempt may have made the call. It then stays the same call, with the same key. */
export function mayBeDone({ status, claim, failure }: LedgerEntry, isUnused: Claimant['isUnused']): boolean {
  const wasLost = status === 'claimed' && !isUnused(claim);
  return wasLost || isPerhapsDone({ failure });
}

function isPerhapsDone({ failure }: Pick<LedgerEntry, 'failure'>): boolean {
  return failure?.callFailed === false;
}

/** A call that has ended for its run, with an unknown outcome. */
type CallThatIsOver = Pick<Claimant, 'takeover' | 'lostAfterMs'>;

/** Judges a canceled call. If it was not made, it is closed, so that no late attempt makes it. */
export function judgeCanceled(entry: LedgerEntry, { lostAfterMs }: CallThatIsOver): ClaimJudgement<LedgerAnswer> {
  return judgeOver(entry, lostAfterMs, 'It was canceled');
}

/**
 * Judges a call that the server has given up: like a canceled one, except that a permanent failure stays as recorded.
 */
export function judgeGivenUp(
  entry: LedgerEntry,
  { takeover, lostAfterMs }: CallThatIsOver,
): ClaimJudgement<LedgerAnswer> {
  const hasFailed = entry.status === 'failed' && entry.takeover === takeover;
  return hasFailed
    ? { isGranted: false, answer: toFailedAnswer(entry) }
    : judgeOver(entry, lostAfterMs, 'It was given up');
}

function judgeOver(entry: LedgerEntry, lostAfterMs: number, how: string): ClaimJudgement<LedgerAnswer> {
  const afterAttempt = (): ClaimJudgement<LedgerAnswer> =>
    toLostAnswer(entry, `${how} after an attempt that may have made it: ${ledgerFailure(entry).error.message}`);
  switch (entry.status) {
    case 'completed':
      return { isGranted: false, answer: toCompletedAnswer(entry) };
    case 'claimed':
      return entry.ageMs < lostAfterMs ? IN_PROGRESS : toLostAnswer(entry, WORKER_LOST);
    case 'retrying':
      return mayBeDone(entry, NONE_UNUSED) ? afterAttempt() : { isGranted: true, failures: entry.failures };
    case 'failed':
      return mayBeDone(entry, NONE_UNUSED) ? afterAttempt() : { isGranted: false, answer: toFailedAnswer(entry) };
    case 'unknown':
      return { isGranted: false, answer: toFailedAnswer(entry) };
  }
}

function toLostAnswer(seen: LedgerEntry, why: string): ClaimJudgement<LedgerAnswer> {
  return { isGranted: false, answer: { kind: 'lost', why, seen } };
}

function toCompletedAnswer({ result, failures }: LedgerEntry): LedgerAnswer {
  return { kind: 'completed', result, attempts: failures + 1 };
}

function toFailedAnswer(entry: LedgerEntry): LedgerAnswer {
  return { kind: 'failed', failure: ledgerFailure(entry) };
}

function ledgerFailure({ failure, failures }: LedgerEntry): TaskFailure {
  return (
    failure ?? {
      callFailed: false,
      error: { code: 'INTERNAL', message: 'The ledger holds a failure without an error', attempts: failures },
    }
  );
}

import type { CallSafety } from '../../graph/definition/index.ts';
import type { Json, TaskFailure } from '../../graph/values/index.ts';
import type { ClaimVerdict, LedgerEntry, SeenEntry } from '../../store/ledger.ts';
import { CallError } from './call-error.ts';

/** What a claim finds instead of work to do: the call was made before. */
export type KnownCall =
  | { readonly kind: 'completed'; readonly result: Json; readonly attempts: number }
  | { readonly kind: 'failed'; readonly failure: TaskFailure }
  /** Another attempt is making the call, as far as anybody can tell. */
  | { readonly kind: 'in-progress' }
  /** No attempt will say any more what became of it, and nobody can tell. */
  | { readonly kind: 'lost'; readonly why: string; readonly seen: SeenEntry };

export interface Claimant {
  readonly requestHash: string;
  readonly takeover: number;
  /** When the server scheduled the attempt, in milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly safety: CallSafety;
  /** Claims of earlier attempts that are known to have made no call. */
  readonly neverMade: readonly string[];
  /** An attempt that has not kept its claim for so long is lost. */
  readonly lostAfterMs: number;
}

/**
 * Decides what becomes of a claim on a call that the ledger knows. A call that failed for good, or whose outcome is
 * unknown, is made again only when a person has ordered it since; what is asked for may have been corrected then.
 * @throws CallError `INTERNAL` when the same key stands for another request: one call's arguments never run under another's key
 */
export function judgeClaim(claimant: Claimant, entry: LedgerEntry): ClaimVerdict<KnownCall> {
  const isTakeover = claimant.takeover > entry.takeover;
  if (entry.requestHash !== claimant.requestHash && !isTakeover) {
    throw new CallError('INTERNAL', 'The same idempotency key was used for another request', {
      retryable: false,
      done: 'no',
    });
  }
  if (isSuperseded(claimant, entry)) return IN_PROGRESS;
  const wasMade = !claimant.neverMade.includes(entry.claim);
  const mayRepeat = isTakeover || claimant.safety !== 'unsafe' || !wasMade;
  const isAlive = entry.ageMs < claimant.lostAfterMs;
  return judgeEntry(entry, { isTakeover, mayRepeat, wasMade, isAlive });
}

const LOST = 'The worker was lost before it recorded what became of the call';
const IN_PROGRESS = { takeOver: false, answer: { kind: 'in-progress' } } as const;

/** Whether the server has given an attempt up, and one that it scheduled after it makes the call. */
function isSuperseded(claimant: Claimant, { status, scheduledAt }: LedgerEntry): boolean {
  return (status === 'claimed' || status === 'retrying') && claimant.scheduledAt < scheduledAt;
}

interface ClaimState {
  /** A person has ordered the call since. */
  readonly isTakeover: boolean;
  readonly mayRepeat: boolean;
  /** Who holds the claim may have made the call. */
  readonly wasMade: boolean;
  readonly isAlive: boolean;
}

function judgeEntry(
  entry: LedgerEntry,
  { isTakeover, mayRepeat, wasMade, isAlive }: ClaimState,
): ClaimVerdict<KnownCall> {
  switch (entry.status) {
    case 'completed':
      return { takeOver: false, answer: toCompleted(entry) };
    case 'retrying':
      return { takeOver: true, failures: entry.failures };
    case 'claimed':
      if (mayRepeat) return { takeOver: true, failures: entry.failures, ...(wasMade && { doubt: LOST_ATTEMPT }) };
      return isAlive ? IN_PROGRESS : toLost(entry, LOST);
    case 'failed':
    case 'unknown':
      if (isTakeover) return { takeOver: true, failures: 0 };
      return { takeOver: false, answer: toFailed(entry) };
  }
}

/** @returns so long an attempt may have been silent, in milliseconds, before it counts as lost */
export function lostAfter(heartbeatMs: number): number {
  return 2 * heartbeatMs;
}

/** What stays known of an attempt whose claim another one has taken over. */
const LOST_ATTEMPT: TaskFailure = { callFailed: false, error: { code: 'INTERNAL', message: LOST } };

/** Whether an attempt before may have made the call: then it stays the same call, whatever becomes of those after it. */
export function mayBeDone({ status, claim, failure }: LedgerEntry, neverMade: readonly string[]): boolean {
  const wasLost = status === 'claimed' && !neverMade.includes(claim);
  return wasLost || failure?.callFailed === false;
}

/**
 * What is known of a call that its run has called back. Where it has not been made, nobody is to make it any more.
 * @param lostAfterMs an attempt that has not kept its claim for so long is lost
 */
export function judgeCanceled(entry: LedgerEntry, lostAfterMs: number): ClaimVerdict<KnownCall> {
  switch (entry.status) {
    case 'completed':
      return { takeOver: false, answer: toCompleted(entry) };
    case 'claimed':
      return entry.ageMs < lostAfterMs ? IN_PROGRESS : toLost(entry, LOST);
    case 'retrying':
      return mayBeDone(entry, []) ? canceledAfterAttempt(entry) : { takeOver: true, failures: entry.failures };
    case 'failed':
      return mayBeDone(entry, []) ? canceledAfterAttempt(entry) : { takeOver: false, answer: toFailed(entry) };
    case 'unknown':
      return { takeOver: false, answer: toFailed(entry) };
  }
}

function canceledAfterAttempt(entry: LedgerEntry): ClaimVerdict<KnownCall> {
  return toLost(entry, `It was canceled after an attempt that may have made it: ${toTaskFailure(entry).error.message}`);
}

function toLost(seen: LedgerEntry, why: string): ClaimVerdict<KnownCall> {
  return { takeOver: false, answer: { kind: 'lost', why, seen } };
}

function toCompleted({ result, failures }: LedgerEntry): KnownCall {
  return { kind: 'completed', result, attempts: failures + 1 };
}

function toFailed(entry: LedgerEntry): KnownCall {
  return { kind: 'failed', failure: toTaskFailure(entry) };
}

function toTaskFailure({ failure, failures }: LedgerEntry): TaskFailure {
  return (
    failure ?? {
      callFailed: false,
      error: { code: 'INTERNAL', message: 'The ledger holds a failure without an error', attempts: failures },
    }
  );
}

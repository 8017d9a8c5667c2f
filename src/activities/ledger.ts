import type { CallSafety } from '../graph/catalog.ts';
import type { Json } from '../graph/json.ts';
import type { TaskFailure } from '../graph/scope.ts';
import type { ClaimVerdict, LedgerEntry } from '../store/ledger.ts';
import { CallError } from './call-error.ts';

/** What a claim finds instead of work to do: the call was made before. */
export type Known =
  | { readonly kind: 'completed'; readonly result: Json; readonly attempts: number }
  | { readonly kind: 'failed'; readonly failure: TaskFailure }
  /** Another attempt is making the call, as far as anybody can tell. */
  | { readonly kind: 'held' }
  /** No attempt will say any more what became of it, and nobody can tell. */
  | { readonly kind: 'lost'; readonly why: string };

export interface Claimant {
  readonly requestHash: string;
  readonly order: number;
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
export function judgeClaim(claimant: Claimant, entry: LedgerEntry): ClaimVerdict<Known> {
  const ordered = claimant.order > entry.order;
  if (entry.requestHash !== claimant.requestHash && !ordered) {
    throw new CallError('INTERNAL', 'The same idempotency key was used for another request', {
      retryable: false,
      done: 'no',
    });
  }
  if (isLate(claimant, entry)) return HELD;
  const mayRepeat = ordered || claimant.safety !== 'unsafe' || claimant.neverMade.includes(entry.claim);
  const isHeld = entry.ageMs < claimant.lostAfterMs;
  return judge(entry, { ordered, mayRepeat, isHeld });
}

const LOST = { kind: 'lost', why: 'The worker was lost before it recorded what became of the call' } as const;
const HELD = { takeOver: false, answer: { kind: 'held' } } as const;

/** Whether the server has given an attempt up, and one that it scheduled after it makes the call. */
function isLate(claimant: Claimant, { status, scheduledAt }: LedgerEntry): boolean {
  return (status === 'claimed' || status === 'retrying') && claimant.scheduledAt < scheduledAt;
}

interface Standing {
  /** A person has ordered the call since. */
  readonly ordered: boolean;
  readonly mayRepeat: boolean;
  readonly isHeld: boolean;
}

function judge(entry: LedgerEntry, { ordered, mayRepeat, isHeld }: Standing): ClaimVerdict<Known> {
  switch (entry.status) {
    case 'completed':
      return { takeOver: false, answer: { kind: 'completed', result: entry.result, attempts: entry.failures + 1 } };
    case 'retrying':
      return { takeOver: true, failures: entry.failures };
    case 'claimed':
      if (mayRepeat) return { takeOver: true, failures: entry.failures };
      return isHeld ? HELD : { takeOver: false, answer: LOST };
    case 'failed':
    case 'unknown':
      if (ordered) return { takeOver: true, failures: 0 };
      return { takeOver: false, answer: { kind: 'failed', failure: failureOf(entry) } };
  }
}

/** @returns so long an attempt may have been silent, in milliseconds, before it counts as lost */
export function lostAfter(heartbeatMs: number): number {
  return 2 * heartbeatMs;
}

/** Whether an attempt before may have made the call: then it stays the same call, whatever becomes of those after it. */
export function mayBeDone({ status, claim, failure }: LedgerEntry, neverMade: readonly string[]): boolean {
  const wasLost = status === 'claimed' && !neverMade.includes(claim);
  return wasLost || failure?.callFailed === false;
}

/**
 * What is known of a call that its run has called back between two attempts.
 * @param entry `null`: no attempt has begun
 * @param lostAfterMs an attempt that has not kept its claim for so long is lost
 */
export function judgeLeft(entry: LedgerEntry | null, lostAfterMs: number): Known {
  switch (entry?.status) {
    case undefined:
      return { kind: 'failed', failure: NEVER_MADE };
    case 'completed':
      return { kind: 'completed', result: entry.result, attempts: entry.failures + 1 };
    case 'failed':
    case 'unknown':
      return { kind: 'failed', failure: failureOf(entry) };
    case 'retrying':
      return mayBeDone(entry, [])
        ? { kind: 'lost', why: `It was canceled before it was made again, after: ${failureOf(entry).error.message}` }
        : { kind: 'failed', failure: NEVER_MADE };
    case 'claimed':
      return entry.ageMs < lostAfterMs ? { kind: 'held' } : LOST;
  }
}

const NEVER_MADE: TaskFailure = {
  callFailed: false,
  error: { code: 'CANCELED', message: 'The call was canceled before it was made' },
};

function failureOf({ failure, failures }: LedgerEntry): TaskFailure {
  return (
    failure ?? {
      callFailed: false,
      error: { code: 'INTERNAL', message: 'The ledger holds a failure without an error', attempts: failures },
    }
  );
}

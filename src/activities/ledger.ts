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
  /** An earlier attempt was lost between claim and record, and nobody can tell what it did. */
  | { readonly kind: 'lost' };

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
      return isHeld ? HELD : { takeOver: false, answer: { kind: 'lost' } };
    case 'failed':
    case 'unknown':
      if (ordered) return { takeOver: true, failures: 0 };
      return { takeOver: false, answer: { kind: 'failed', failure: failureOf(entry) } };
  }
}

function failureOf({ failure, failures }: LedgerEntry): TaskFailure {
  return (
    failure ?? {
      callFailed: false,
      error: { code: 'INTERNAL', message: 'The ledger holds a failure without an error', attempts: failures },
    }
  );
}

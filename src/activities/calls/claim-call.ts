import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { messageOf, isJsonList, isJsonObject, toJson } from '../../graph/values/index.ts';
import type { TokenUsage, Json } from '../../graph/values/index.ts';
import { isContradiction, isDataRefused, isDatabaseAway } from '../../store/database/database-away.ts';
import type { CallClaim } from '../../store/calls/ledger-claims.ts';
import type { Store } from '../../store/store.ts';
import { tryAgainLater } from './application-failure.ts';
import { CallError, UNCLEAR } from './call-error.ts';
import { reportHeartbeat } from './time-limit.ts';
import { judgeClaim, lostWithoutClaim, mayBeDone, unreportedUsage } from './judge-claim.ts';
import type { Claimant, LedgerAnswer } from './judge-claim.ts';
import { journalContradiction } from './write-journal.ts';

/** Id and result of a claim: a call to make, or the known outcome. */
interface ClaimResult {
  readonly claim: string;
  readonly result: EarlierAttempts | { readonly answer: LedgerAnswer };
}

/** The history of a call that is about to be made. */
interface EarlierAttempts {
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
  /** The tokens of a model that they used and that were not reported to the run. */
  readonly usedBefore: TokenUsage | null;
}

interface FreshClaimant extends Omit<Claimant, 'isUnused' | 'scheduledAt'> {
  /** True if an earlier attempt may have made the call without a claim. */
  readonly wasPerhapsMade: boolean;
}

/** The delay of the next attempt when this one can do nothing. */
export const ASK_AGAIN_AFTER_MS = 2_000;

/**
 * Claims a call in the ledger. If the database does not answer, the claim may still be stored, now or later, but the
 * call is not made. A heartbeat passes its id on, so that the next attempt does not take the call for lost.
 * @throws CallError if the key belongs to another request, or the database refuses what is written
 * @throws ApplicationFailure `DATABASE_AWAY`, which the server retries; `CONTRADICTION`, as `writeJournal`
 */
export async function claimCall(
  { ledger }: Store,
  call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at'>,
  { wasPerhapsMade, ...claimant }: FreshClaimant,
): Promise<ClaimResult> {
  const attempt = currentAttempt();
  const { scheduledAt } = attempt;
  const unusedClaims = readUnusedClaims(Context.current().info.heartbeatDetails);
  const claim = claimIdOf(unusedClaims, attempt);
  const wasUnused = (earlier: string): boolean => isUnusedClaim(unusedClaims, earlier);
  const at = new Date().toISOString();
  try {
    const result = await ledger.claim({ ...call, claim, scheduledAt, at }, (entry) =>
      judgeClaim({ ...claimant, scheduledAt, isUnused: wasUnused }, entry),
    );
    if ('answer' in result) return { claim, result };
    const { failures, before } = result;
    const isTraceless = before === null && wasPerhapsMade;
    if (isTraceless && claimant.safety === 'unsafe') return { claim, result: { answer: lostWithoutClaim(claim) } };
    const wasDone = before ? mayBeDone(before, wasUnused) : isTraceless;
    return { claim, result: { failures, mayBeDone: wasDone, usedBefore: unreportedUsage(before) } };
  } catch (error) {
    if (isContradiction(error)) throw journalContradiction();
    if (isDataRefused(error)) throw claimRefused(error);
    if (!isDatabaseAway(error)) throw error;
    reportHeartbeat({ unusedClaims: addUnusedClaim(unusedClaims, attempt) });
    throw tryAgainLater('DATABASE_AWAY', messageOf(error), ASK_AGAIN_AFTER_MS);
  }
}

function claimRefused(error: unknown): CallError {
  const message = `The database refuses the call's record: ${messageOf(error)}`;
  return new CallError('INTERNAL', message, { ...UNCLEAR, cause: error });
}

function currentAttempt(): ClaimingAttempt {
  const {
    attempt,
    currentAttemptScheduledTimestampMs,
    heartbeatTimeoutMs = 0,
    startToCloseTimeoutMs,
  } = Context.current().info;
  const missedAfterMs = Math.min(heartbeatTimeoutMs, startToCloseTimeoutMs);
  return { attempt, scheduledAt: currentAttemptScheduledTimestampMs, missedAfterMs };
}

/** Claims of one activity that were not followed by a call. Those of one outage form one range. */
export interface UnusedClaims {
  /** The prefix of the activity's claim ids; each id ends with the time at which its attempt was scheduled. */
  readonly series: string;
  readonly ranges: readonly ClaimRange[];
}

/** Consecutive attempts, by the times at which they were scheduled. */
interface ClaimRange {
  readonly first: number;
  readonly last: number;
  /** The number of the last one. */
  readonly attempt: number;
}

/** The attempt at an activity that claims. */
export interface ClaimingAttempt {
  readonly attempt: number;
  readonly scheduledAt: number;
  /** The time after which the server detects a lost attempt; 0 if unknown. */
  readonly missedAfterMs: number;
}

const MAX_RANGES = 100;

/** Reads the details that earlier attempts sent in a heartbeat. */
export function readUnusedClaims(details: unknown): UnusedClaims {
  const given = isJsonObject(details) ? toJson(details['unusedClaims'] ?? null) : null;
  if (!isJsonObject(given) || typeof given['series'] !== 'string' || !isJsonList(given['ranges']))
    return { series: randomUUID(), ranges: [] };
  return { series: given['series'], ranges: given['ranges'].flatMap(readClaimRanges) };
}

function readClaimRanges(value: Json): readonly ClaimRange[] {
  if (!isJsonObject(value)) return [];
  const { first, last, attempt } = value;
  const isRange = typeof first === 'number' && typeof last === 'number' && typeof attempt === 'number';
  return isRange ? [{ first, last, attempt }] : [];
}

/** Returns the id of an attempt's claim. */
export function claimIdOf({ series }: UnusedClaims, { scheduledAt }: ClaimingAttempt): string {
  return `${series}.${scheduledAt}`;
}

/** Adds the claim of an attempt that makes no call. */
export function addUnusedClaim({ series, ranges }: UnusedClaims, unused: ClaimingAttempt): UnusedClaims {
  const { attempt, scheduledAt } = unused;
  const before = ranges.at(-1);
  const own = { first: scheduledAt, last: scheduledAt, attempt };
  const added =
    before && followsDirectly(before, unused)
      ? [...ranges.slice(0, -1), { ...own, first: before.first }]
      : [...ranges, own].slice(-MAX_RANGES);
  return { series, ranges: added };
}

/**
 * True if no attempt can have been lost between a range and an attempt. Numbers alone are no proof: an operator may reset
 * them.
 */
function followsDirectly({ last, attempt }: ClaimRange, next: ClaimingAttempt): boolean {
  const gapMs = next.scheduledAt - last;
  return next.attempt === attempt + 1 && gapMs > 0 && gapMs < next.missedAfterMs;
}

/** True if the attempt that holds a claim is known to have made no call. */
export function isUnusedClaim({ series, ranges }: UnusedClaims, claim: string): boolean {
  if (!claim.startsWith(`${series}.`)) return false;
  const scheduledAt = Number(claim.slice(series.length + 1));
  return ranges.some(({ first, last }) => first <= scheduledAt && scheduledAt <= last);
}

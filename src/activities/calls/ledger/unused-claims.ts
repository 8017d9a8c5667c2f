import { randomUUID } from 'node:crypto';
import { isJsonList, isJsonObject, toJson } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

/** Claims of one activity after which no call was made. Those of an outage of any length are one range. */
export interface UnusedClaims {
  /** Begins the ids of the activity's claims; each ends with the time when its attempt was scheduled. */
  readonly series: string;
  readonly ranges: readonly ClaimRange[];
}

/** Attempts that followed each other, by the times when they were scheduled. */
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
  /** The server misses a lost attempt after this time, and not before; 0: it is not known. */
  readonly missedAfterMs: number;
}

const MAX_RANGES = 100;

/** Reads what earlier attempts have passed on in a heartbeat. */
export function readUnusedClaims(details: unknown): UnusedClaims {
  const given = isJsonObject(details) ? toJson(details['unusedClaims'] ?? null) : null;
  if (!isJsonObject(given) || typeof given['series'] !== 'string' || !isJsonList(given['ranges']))
    return { series: randomUUID(), ranges: [] };
  return { series: given['series'], ranges: given['ranges'].flatMap(readRange) };
}

function readRange(value: Json): readonly ClaimRange[] {
  if (!isJsonObject(value)) return [];
  const { first, last, attempt } = value;
  const isRange = typeof first === 'number' && typeof last === 'number' && typeof attempt === 'number';
  return isRange ? [{ first, last, attempt }] : [];
}

/** Returns the id of an attempt's claim. */
export function claimOf({ series }: UnusedClaims, { scheduledAt }: ClaimingAttempt): string {
  return `${series}.${scheduledAt}`;
}

/** Adds the claim of an attempt that makes no call. */
export function withUnused({ series, ranges }: UnusedClaims, unused: ClaimingAttempt): UnusedClaims {
  const { attempt, scheduledAt } = unused;
  const before = ranges.at(-1);
  const own = { first: scheduledAt, last: scheduledAt, attempt };
  const added =
    before && follows(before, unused)
      ? [...ranges.slice(0, -1), { ...own, first: before.first }]
      : [...ranges, own].slice(-MAX_RANGES);
  return { series, ranges: added };
}

/**
 * True if no attempt can have been lost between a range and an attempt. Numbers alone don't tell: an operator may reset
 * them.
 */
function follows({ last, attempt }: ClaimRange, next: ClaimingAttempt): boolean {
  const gapMs = next.scheduledAt - last;
  return next.attempt === attempt + 1 && gapMs > 0 && gapMs < next.missedAfterMs;
}

/** True if the attempt that holds a claim is known to have made no call. */
export function isUnused({ series, ranges }: UnusedClaims, claim: string): boolean {
  if (!claim.startsWith(`${series}.`)) return false;
  const scheduledAt = Number(claim.slice(series.length + 1));
  return ranges.some(({ first, last }) => first <= scheduledAt && scheduledAt <= last);
}

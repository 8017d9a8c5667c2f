import { expect, test } from 'vitest';
import {
  claimIdOf,
  isUnusedClaim,
  readUnusedClaims,
  addUnusedClaim,
} from '../../../../src/activities/calls/claim-call.ts';
import type { ClaimingAttempt, UnusedClaims } from '../../../../src/activities/calls/claim-call.ts';

const at = (attempt: number, seconds: number): ClaimingAttempt => ({
  attempt,
  scheduledAt: seconds * 1_000,
  missedAfterMs: 10_000,
});
const none: UnusedClaims = { series: 's', ranges: [] };
const after = (...attempts: readonly ClaimingAttempt[]): UnusedClaims => attempts.reduce(addUnusedClaim, none);

test('consecutive attempts of an outage are one range in the heartbeat', () => {
  const outage = Array.from({ length: 5_000 }, (_, index) => at(index + 1, index * 2));
  const passedOn = readUnusedClaims(JSON.parse(JSON.stringify({ unusedClaims: after(...outage) })));
  expect(passedOn.ranges).toHaveLength(1);
  expect(outage.every((attempt) => isUnusedClaim(passedOn, claimIdOf(passedOn, attempt)))).toBe(true);
});

test.each<[string, readonly ClaimingAttempt[], ClaimingAttempt]>([
  ['one that was not passed on', [at(1, 0), at(3, 4)], at(2, 2)],
  ['one after them', [at(1, 0), at(2, 2)], at(3, 4)],
  ['one that was lost before the numbers began anew', [at(1, 0), at(2, 2), at(3, 40)], at(3, 4)],
  ['one of the same number', [at(1, 0), at(2, 2)], at(2, 50)],
])('%s may have made the call', (_what, unused, attempt) => {
  const claims = after(...unused);
  expect(isUnusedClaim(claims, claimIdOf(claims, attempt))).toBe(false);
  expect(unused.every((one) => isUnusedClaim(claims, claimIdOf(claims, one)))).toBe(true);
});

test('claims of other activities are never unused', () => {
  const claims = after(at(1, 0));
  expect(isUnusedClaim(claims, claimIdOf({ ...claims, series: 'other' }, at(1, 0)))).toBe(false);
  expect(isUnusedClaim(claims, 's.x')).toBe(false);
});

test.each([undefined, null, 7, { done: 7 }, { unusedClaims: ['a'] }, { unusedClaims: { series: 7, ranges: [] } }])(
  'details %j contain no claims and begin a series',
  (details) => {
    const [one, other] = [readUnusedClaims(details), readUnusedClaims(details)];
    expect([one.ranges, other.ranges]).toEqual([[], []]);
    expect(one.series).not.toBe(other.series);
  },
);

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

test('consecutive attempts during an outage are one range in the heartbeat', () => {
  const outage = Array.from({ length: 5_000 }, (_, index) => at(index + 1, index * 2));
  const passedOn = readUnusedClaims(JSON.parse(JSON.stringify({ unusedClaims: after(...outage) })));
  expect(passedOn.ranges).toHaveLength(1);
  expect(outage.every((attempt) => isUnusedClaim(passedOn, claimIdOf(passedOn, attempt)))).toBe(true);
});

test.each<[string, readonly ClaimingAttempt[], ClaimingAttempt]>([
  ['its claim was never stored in the heartbeat', [at(1, 0), at(3, 4)], at(2, 2)],
  ['it follows all unused claims', [at(1, 0), at(2, 2)], at(3, 4)],
  ['it was lost before the attempt numbers restarted', [at(1, 0), at(2, 2), at(3, 40)], at(3, 4)],
  ['it has the number of an unused claim of an earlier time', [at(1, 0), at(2, 2)], at(2, 50)],
])('an attempt may have made the call: %s', (_what, unused, attempt) => {
  const claims = after(...unused);
  expect(isUnusedClaim(claims, claimIdOf(claims, attempt))).toBe(false);
  expect(unused.every((one) => isUnusedClaim(claims, claimIdOf(claims, one)))).toBe(true);
});

test('claims that other activities wrote never count as unused', () => {
  const claims = after(at(1, 0));
  expect(isUnusedClaim(claims, claimIdOf({ ...claims, series: 'other' }, at(1, 0)))).toBe(false);
  expect(isUnusedClaim(claims, 's.x')).toBe(false);
});

test.each([undefined, null, 7, { done: 7 }, { unusedClaims: ['a'] }, { unusedClaims: { series: 7, ranges: [] } }])(
  'the heartbeat details %j contain no claims and begin a new series',
  (details) => {
    const [one, other] = [readUnusedClaims(details), readUnusedClaims(details)];
    expect([one.ranges, other.ranges]).toEqual([[], []]);
    expect(one.series).not.toBe(other.series);
  },
);

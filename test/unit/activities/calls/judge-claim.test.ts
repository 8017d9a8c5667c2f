import { describe, expect, test } from 'vitest';
import { judgeClaim, judgeCanceled, mayBeDone } from '../../../../src/activities/calls/judge-claim.ts';
import type { Claimant } from '../../../../src/activities/calls/judge-claim.ts';
import type { CallSafety } from '../../../../src/graph/definition/catalog.ts';
import type { LedgerEntry } from '../../../../src/store/ledger-claims.ts';

const error = { code: 'TOOL_FAILED', message: 'no', attempts: 2 } as const;
const anEntry = (over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  claim: 'an earlier one',
  scheduledAt: 1,
  ageMs: 60_000,
  status: 'claimed',
  requestHash: 'x',
  takeover: 0,
  failures: 2,
  result: null,
  failure: null,
  ...over,
});
const aClaimant = (over: Partial<Claimant> = {}): Claimant => ({
  requestHash: 'x',
  takeover: 0,
  scheduledAt: 2,
  safety: 'unsafe',
  neverMade: [],
  lostAfterMs: 60_000,
  ...over,
});
const SAFETIES: readonly CallSafety[] = ['idempotent', 'keyed', 'unsafe'];

describe('judgeClaim', () => {
  test.each(SAFETIES)('a result of an %s call is given back, also to whom a person has ordered the call', (safety) => {
    const entry = anEntry({ status: 'completed', result: { ok: 1 } });
    for (const takeover of [0, 1]) {
      const verdict = judgeClaim(aClaimant({ safety, takeover }), entry);
      expect(verdict).toMatchObject({ takeOver: false, answer: { kind: 'completed', result: { ok: 1 } } });
    }
  });

  test.each(SAFETIES)('an %s call that is to be tried again goes on counting', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry({ status: 'retrying' }))).toEqual({ takeOver: true, failures: 2 });
  });

  test.each(['idempotent', 'keyed'] as const)('a lost %s call is made again', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry())).toMatchObject({ takeOver: true, failures: 2 });
  });

  test.each(SAFETIES)('an attempt that comes late leaves an %s call to the one after it', (safety) => {
    const late = aClaimant({ safety, scheduledAt: 1, neverMade: ['an earlier one'] });
    for (const status of ['claimed', 'retrying'] as const)
      expect(judgeClaim(late, anEntry({ status, takeover: 1, scheduledAt: 2 }))).toEqual({
        takeOver: false,
        answer: { kind: 'in-progress' },
      });
    expect(judgeClaim(late, anEntry({ status: 'completed', scheduledAt: 2 }))).toMatchObject({
      answer: { kind: 'completed' },
    });
  });

  test('a call that another attempt may still be making is left to it, unless it may be made twice', () => {
    const young = anEntry({ ageMs: 59_999 });
    expect(judgeClaim(aClaimant(), young)).toEqual({ takeOver: false, answer: { kind: 'in-progress' } });
    expect(judgeClaim(aClaimant({ safety: 'keyed' }), young)).toMatchObject({ takeOver: true });
    expect(judgeClaim(aClaimant({ takeover: 1 }), young)).toMatchObject({ takeOver: true });
  });

  test('an unsafe call whose claim is known to have made no call is made', () => {
    const claimant = aClaimant({ neverMade: ['an earlier one'] });
    expect(judgeClaim(claimant, anEntry())).toEqual({ takeOver: true, failures: 2 });
    expect(judgeClaim(claimant, anEntry({ claim: 'another' }))).toMatchObject({ answer: { kind: 'lost' } });
    expect(judgeClaim(claimant, anEntry({ status: 'unknown' }))).toMatchObject({ answer: { kind: 'failed' } });
  });

  test('a lost unsafe call is made again when a person has ordered it since', () => {
    expect(judgeClaim(aClaimant(), anEntry())).toMatchObject({ takeOver: false, answer: { kind: 'lost' } });
    expect(judgeClaim(aClaimant({ takeover: 1 }), anEntry())).toMatchObject({ takeOver: true });
    expect(judgeClaim(aClaimant({ takeover: 1 }), anEntry({ takeover: 1 }))).toMatchObject({ takeOver: false });
  });

  test.each(['failed', 'unknown'] as const)(
    'a call that is %s stays so, until a person orders it: then it counts anew',
    (status) => {
      const failure = { error, callFailed: true };
      const entry = anEntry({ status, failure, takeover: 1 });
      expect(judgeClaim(aClaimant({ takeover: 1 }), entry)).toMatchObject({
        takeOver: false,
        answer: { kind: 'failed', failure },
      });
      expect(judgeClaim(aClaimant({ takeover: 2 }), entry)).toEqual({ takeOver: true, failures: 0 });
    },
  );

  test.each(['claimed', 'retrying', 'completed', 'failed', 'unknown'] as const)(
    'a key of another request, %s, is refused',
    (status) => {
      const judge = (): unknown => judgeClaim(aClaimant({ requestHash: 'y' }), anEntry({ status }));
      expect(judge).toThrow(expect.objectContaining({ code: 'INTERNAL', retryable: false, done: 'no' }));
    },
  );

  test.each(['claimed', 'retrying', 'failed', 'unknown'] as const)(
    'what a person orders again, corrected meanwhile, is made: %s',
    (status) => {
      const claimant = aClaimant({ requestHash: 'y', takeover: 1 });
      expect(judgeClaim(claimant, anEntry({ status }))).toMatchObject({ takeOver: true });
    },
  );
});

describe('judgeLeft', () => {
  const failed = (callFailed: boolean) => ({ callFailed, error });
  const answered = (known: object) => ({ takeOver: false, answer: known });
  const lost = (why: string) => answered({ kind: 'lost', why: expect.stringContaining(why) });

  test.each<[string, Partial<LedgerEntry>, object]>([
    ['has a result', { status: 'completed', result: 7 }, answered({ kind: 'completed', result: 7, attempts: 3 })],
    [
      'is known to have failed',
      { status: 'failed', failure: failed(true) },
      answered({ kind: 'failed', failure: failed(true) }),
    ],
    ['has failed, and may have been made', { status: 'failed', failure: failed(false) }, lost('no')],
    ['is unknown', { status: 'unknown', failure: failed(false) }, answered({ kind: 'failed', failure: failed(false) })],
    ['was refused, and waits for another attempt', { status: 'retrying', failure: failed(true) }, { takeOver: true }],
    ['may have been made, and waits for another attempt', { status: 'retrying', failure: failed(false) }, lost('no')],
    ['is being made', { ageMs: 59_999 }, answered({ kind: 'in-progress' })],
    ['was lost', {}, lost('The worker was lost')],
  ])('says what is known of a call that %s', (_, entry, verdict) => {
    expect(judgeCanceled(anEntry(entry), 60_000)).toMatchObject(verdict);
  });
});

test('that an attempt was lost stays known, whoever takes its claim over', () => {
  const taken = judgeClaim(aClaimant({ safety: 'keyed' }), anEntry());
  expect(taken).toMatchObject({ takeOver: true, lostAttempt: { callFailed: false } });
  expect(judgeClaim(aClaimant({ safety: 'keyed', neverMade: ['an earlier one'] }), anEntry())).not.toHaveProperty(
    'lostAttempt',
  );
});

test.each([
  ['by a claim that is known to have made none', 'an earlier one', null, false],
  ['by one that was lost', 'other', null, true],
  ['by one before that', 'an earlier one', { callFailed: false, error }, true],
  ['by one that was refused', 'an earlier one', { callFailed: true, error }, false],
] as const)('whether a call may have been done %s', (...[, neverMade, failure, expected]) => {
  expect(mayBeDone(anEntry({ failure }), [neverMade])).toBe(expected);
});

import { describe, expect, test } from 'vitest';
import { judgeClaim, judgeLeft } from '../../src/activities/ledger.ts';
import type { Claimant } from '../../src/activities/ledger.ts';
import type { CallSafety } from '../../src/graph/catalog.ts';
import type { LedgerEntry } from '../../src/store/ledger.ts';

const error = { code: 'TOOL_FAILED', message: 'no', attempts: 2 } as const;
const anEntry = (over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  claim: 'an earlier one',
  scheduledAt: 1,
  ageMs: 60_000,
  status: 'claimed',
  requestHash: 'x',
  order: 0,
  failures: 2,
  result: null,
  failure: null,
  ...over,
});
const aClaimant = (over: Partial<Claimant> = {}): Claimant => ({
  requestHash: 'x',
  order: 0,
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
    for (const order of [0, 1]) {
      const verdict = judgeClaim(aClaimant({ safety, order }), entry);
      expect(verdict).toMatchObject({ takeOver: false, answer: { kind: 'completed', result: { ok: 1 } } });
    }
  });

  test.each(SAFETIES)('an %s call that is to be tried again goes on counting', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry({ status: 'retrying' }))).toEqual({ takeOver: true, failures: 2 });
  });

  test.each(['idempotent', 'keyed'] as const)('a lost %s call is made again', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry())).toEqual({ takeOver: true, failures: 2 });
  });

  test.each(SAFETIES)('an attempt that comes late leaves an %s call to the one after it', (safety) => {
    const late = aClaimant({ safety, scheduledAt: 1, neverMade: ['an earlier one'] });
    for (const status of ['claimed', 'retrying'] as const)
      expect(judgeClaim(late, anEntry({ status, order: 1, scheduledAt: 2 }))).toEqual({
        takeOver: false,
        answer: { kind: 'held' },
      });
    expect(judgeClaim(late, anEntry({ status: 'completed', scheduledAt: 2 }))).toMatchObject({
      answer: { kind: 'completed' },
    });
  });

  test('a call that another attempt may still be making is left to it, unless it may be made twice', () => {
    const young = anEntry({ ageMs: 59_999 });
    expect(judgeClaim(aClaimant(), young)).toEqual({ takeOver: false, answer: { kind: 'held' } });
    expect(judgeClaim(aClaimant({ safety: 'keyed' }), young)).toMatchObject({ takeOver: true });
    expect(judgeClaim(aClaimant({ order: 1 }), young)).toMatchObject({ takeOver: true });
  });

  test('an unsafe call whose claim is known to have made no call is made', () => {
    const claimant = aClaimant({ neverMade: ['an earlier one'] });
    expect(judgeClaim(claimant, anEntry())).toEqual({ takeOver: true, failures: 2 });
    expect(judgeClaim(claimant, anEntry({ claim: 'another' }))).toMatchObject({ answer: { kind: 'lost' } });
    expect(judgeClaim(claimant, anEntry({ status: 'unknown' }))).toMatchObject({ answer: { kind: 'failed' } });
  });

  test('a lost unsafe call is made again when a person has ordered it since', () => {
    expect(judgeClaim(aClaimant(), anEntry())).toMatchObject({ takeOver: false, answer: { kind: 'lost' } });
    expect(judgeClaim(aClaimant({ order: 1 }), anEntry())).toMatchObject({ takeOver: true });
    expect(judgeClaim(aClaimant({ order: 1 }), anEntry({ order: 1 }))).toMatchObject({ takeOver: false });
  });

  test.each(['failed', 'unknown'] as const)(
    'a call that is %s stays so, until a person orders it: then it counts anew',
    (status) => {
      const failure = { error, callFailed: true };
      const entry = anEntry({ status, failure, order: 1 });
      expect(judgeClaim(aClaimant({ order: 1 }), entry)).toMatchObject({
        takeOver: false,
        answer: { kind: 'failed', failure },
      });
      expect(judgeClaim(aClaimant({ order: 2 }), entry)).toEqual({ takeOver: true, failures: 0 });
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
      const claimant = aClaimant({ requestHash: 'y', order: 1 });
      expect(judgeClaim(claimant, anEntry({ status }))).toMatchObject({ takeOver: true });
    },
  );
});

describe('judgeLeft', () => {
  const failed = (callFailed: boolean) => ({ callFailed, error });

  test.each<[string, LedgerEntry | null, object]>([
    ['was never claimed', null, { kind: 'failed', failure: { error: { code: 'CANCELED' } } }],
    ['has a result', anEntry({ status: 'completed', result: 7 }), { kind: 'completed', result: 7, attempts: 3 }],
    ['has failed', anEntry({ status: 'failed', failure: failed(true) }), { kind: 'failed', failure: failed(true) }],
    ['is unknown', anEntry({ status: 'unknown', failure: failed(false) }), { kind: 'failed', failure: failed(false) }],
    [
      'was refused, and waits for another attempt',
      anEntry({ status: 'retrying', failure: failed(true) }),
      { kind: 'failed', failure: { error: { code: 'CANCELED' } } },
    ],
    [
      'may have been made, and waits for another attempt',
      anEntry({ status: 'retrying', failure: failed(false) }),
      { kind: 'lost', why: expect.stringContaining('no') },
    ],
    ['is being made', anEntry({ ageMs: 59_999 }), { kind: 'held' }],
    ['was lost', anEntry(), { kind: 'lost' }],
  ])('says what is known of a call that %s', (_, entry, known) => {
    expect(judgeLeft(entry, 60_000)).toMatchObject(known);
  });
});

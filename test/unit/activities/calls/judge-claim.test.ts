import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { judgeClaim, judgeCanceled, judgeGivenUp, mayBeDone } from '../../../../src/activities/calls/judge-claim.ts';
import type { Claimant } from '../../../../src/activities/calls/judge-claim.ts';
import type { CallSafety } from '../../../../src/graph/definition/call-policy.ts';
import type { LedgerEntry } from '../../../../src/store/calls/ledger-claims.ts';

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
  isUnused: () => false,
  lostAfterMs: 60_000,
  ...over,
});
const isTheEarlier = (claim: string): boolean => claim === 'an earlier one';
const SAFETIES: readonly CallSafety[] = ['idempotent', 'keyed', 'unsafe'];

describe('judgeClaim', () => {
  test.each(SAFETIES)('the recorded result of an %s call is returned, also after a person’s retry', (safety) => {
    const entry = anEntry({ status: 'completed', result: { ok: 1 } });
    for (const takeover of [0, 1]) {
      const verdict = judgeClaim(aClaimant({ safety, takeover }), entry);
      expect(verdict).toMatchObject({ isGranted: false, answer: { kind: 'completed', result: { ok: 1 } } });
    }
  });

  test.each(SAFETIES)('an %s call that is retried keeps counting its attempts', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry({ status: 'retrying' }))).toEqual({
      isGranted: true,
      failures: 2,
    });
  });

  test.each(['idempotent', 'keyed'] as const)('an %s call whose attempt was lost is made again', (safety) => {
    expect(judgeClaim(aClaimant({ safety }), anEntry())).toMatchObject({ isGranted: true, failures: 2 });
  });

  test.each(SAFETIES)('a superseded attempt leaves an %s call to the later attempt', (safety) => {
    const late = aClaimant({ safety, scheduledAt: 1, isUnused: isTheEarlier });
    for (const status of ['claimed', 'retrying'] as const)
      expect(judgeClaim(late, anEntry({ status, takeover: 1, scheduledAt: 2 }))).toEqual({
        isGranted: false,
        answer: { kind: 'in-progress' },
      });
    expect(judgeClaim(late, anEntry({ status: 'completed', scheduledAt: 2 }))).toMatchObject({
      answer: { kind: 'completed' },
    });
  });

  test('a call that may be in progress is left to its attempt, unless the call may be made twice', () => {
    const young = anEntry({ ageMs: 59_999 });
    expect(judgeClaim(aClaimant(), young)).toEqual({ isGranted: false, answer: { kind: 'in-progress' } });
    expect(judgeClaim(aClaimant({ safety: 'keyed' }), young)).toMatchObject({ isGranted: true });
    expect(judgeClaim(aClaimant({ takeover: 1 }), young)).toEqual({
      isGranted: false,
      answer: { kind: 'in-progress' },
    });
  });

  test('an unsafe call is made if its claim is known to have made no call', () => {
    const claimant = aClaimant({ isUnused: isTheEarlier });
    expect(judgeClaim(claimant, anEntry())).toEqual({ isGranted: true, failures: 2 });
    expect(judgeClaim(claimant, anEntry({ claim: 'another' }))).toMatchObject({ answer: { kind: 'lost' } });
    expect(judgeClaim(claimant, anEntry({ status: 'unknown' }))).toMatchObject({ answer: { kind: 'failed' } });
  });

  test('an unsafe call whose attempt was lost is made again after a person’s retry', () => {
    expect(judgeClaim(aClaimant(), anEntry())).toMatchObject({ isGranted: false, answer: { kind: 'lost' } });
    expect(judgeClaim(aClaimant({ takeover: 1 }), anEntry())).toMatchObject({ isGranted: true });
    expect(judgeClaim(aClaimant({ takeover: 1 }), anEntry({ takeover: 1 }))).toMatchObject({ isGranted: false });
  });

  test.each(['failed', 'unknown'] as const)(
    'a call that is %s keeps this state until a person’s retry, which restarts the count of attempts',
    (status) => {
      const failure = { error, callFailed: true };
      const entry = anEntry({ status, failure, takeover: 1 });
      expect(judgeClaim(aClaimant({ takeover: 1 }), entry)).toMatchObject({
        isGranted: false,
        answer: { kind: 'failed', failure },
      });
      expect(judgeClaim(aClaimant({ takeover: 2 }), entry)).toEqual({ isGranted: true, failures: 0 });
    },
  );

  test.each(['claimed', 'retrying', 'completed', 'failed', 'unknown'] as const)(
    'a call key that belongs to another request, which is %s, is refused',
    (status) => {
      const judge = (): unknown => judgeClaim(aClaimant({ requestHash: 'y' }), anEntry({ status }));
      expect(judge).toThrow(expect.objectContaining({ code: 'INTERNAL', retryable: false, done: 'no' }));
    },
  );

  test.each(['claimed', 'retrying', 'failed', 'unknown'] as const)(
    'a call whose request a person corrected and retries is made although the earlier one is %s',
    (status) => {
      const claimant = aClaimant({ requestHash: 'y', takeover: 1 });
      expect(judgeClaim(claimant, anEntry({ status }))).toMatchObject({ isGranted: true });
    },
  );
});

describe('a call that has ended for its run', () => {
  const failed = (callFailed: boolean) => ({ callFailed, error });
  const answered = (known: object) => ({ isGranted: false, answer: known });
  const lost = (why: string) => answered({ kind: 'lost', why: expect.stringContaining(why) });

  test.each<[string, Partial<LedgerEntry>, object]>([
    ['has a result', { status: 'completed', result: 7 }, answered({ kind: 'completed', result: 7, attempts: 3 })],
    [
      'is known to have failed',
      { status: 'failed', failure: failed(true) },
      answered({ kind: 'failed', failure: failed(true) }),
    ],
    ['has failed, and was possibly executed', { status: 'failed', failure: failed(false) }, lost('no')],
    ['is unknown', { status: 'unknown', failure: failed(false) }, answered({ kind: 'failed', failure: failed(false) })],
    ['was refused, and waits for another attempt', { status: 'retrying', failure: failed(true) }, { isGranted: true }],
    [
      'was possibly executed, and waits for another attempt',
      { status: 'retrying', failure: failed(false) },
      lost('no'),
    ],
    ['is in progress', { ageMs: 59_999 }, answered({ kind: 'in-progress' })],
    ['was lost', {}, lost('The worker was lost')],
  ])('a canceled call keeps its known outcome in the ledger: the call %s', (_, entry, verdict) => {
    expect(judgeCanceled(anEntry(entry), { takeover: 0, lostAfterMs: 60_000 })).toMatchObject(verdict);
  });

  test.each<[string, Partial<LedgerEntry>, object]>([
    ['has a result', { status: 'completed', result: 7 }, answered({ kind: 'completed', result: 7, attempts: 3 })],
    ...[true, false].map((callFailed): [string, Partial<LedgerEntry>, object] => [
      `has failed for good (known to be undone: ${callFailed})`,
      { status: 'failed', failure: failed(callFailed) },
      answered({ kind: 'failed', failure: failed(callFailed) }),
    ]),
    ['has failed before a person retried it', { takeover: -1, status: 'failed', failure: failed(false) }, lost('')],
    ['is unknown', { status: 'unknown', failure: failed(false) }, answered({ kind: 'failed', failure: failed(false) })],
    ['was refused, and waits for another attempt', { status: 'retrying', failure: failed(true) }, { isGranted: true }],
    [
      'was possibly executed, and waits for another attempt',
      { status: 'retrying', failure: failed(false) },
      lost('no'),
    ],
    ['is in progress', { ageMs: 59_999 }, answered({ kind: 'in-progress' })],
    ['was lost', {}, lost('The worker was lost')],
  ])('a call that the server has timed out keeps its known outcome in the ledger: the call %s', (_, entry, verdict) => {
    expect(judgeGivenUp(anEntry(entry), { takeover: 0, lostAfterMs: 60_000 })).toMatchObject(verdict);
  });
});

test('a claim that takes over a lost attempt records the takeover', () => {
  const taken = judgeClaim(aClaimant({ safety: 'keyed' }), anEntry());
  expect(taken).toMatchObject({ isGranted: true, lostAttempt: { callFailed: false } });
  expect(judgeClaim(aClaimant({ safety: 'keyed', isUnused: isTheEarlier }), anEntry())).not.toHaveProperty(
    'lostAttempt',
  );
});

test.each([
  ['by a claim that is known to have made no call', 'an earlier one', null, false],
  ['by a lost attempt', 'other', null, true],
  ['by an attempt before a lost one', 'an earlier one', { callFailed: false, error }, true],
  ['by a refused attempt', 'an earlier one', { callFailed: true, error }, false],
] as const)('the ledger knows whether a call was possibly executed %s', (...[, unusedClaim, failure, expected]) => {
  expect(mayBeDone(anEntry({ failure }), (claim) => claim === unusedClaim)).toBe(expected);
});

describe('the table of claims in the README', () => {
  const MAKES = { isGranted: true, failures: 2 };
  const LEAVES = { isGranted: false, answer: { kind: 'in-progress' } };
  const LATER = { scheduledAt: 3 };
  const UNUSED = { isUnused: isTheEarlier };
  const FAILED = { status: 'failed', failure: { error, callFailed: true } } as const;
  type Example = readonly [entry: Partial<LedgerEntry>, claimant: Partial<Claimant>];

  /** By row: the claim, its verdict, and examples that match no row above. */
  const ROWS: Readonly<Record<string, readonly [claim: string, verdict: object, ...Example[]]>> = {
    'any, with another request hash, without a takeover': [
      'fails with `INTERNAL`',
      { code: 'INTERNAL' },
      [{ requestHash: 'y', status: 'completed' }, { safety: 'idempotent' }],
      [{ requestHash: 'y', ...LATER }, {}],
    ],
    '`claimed` or `retrying`, by an attempt scheduled later': [
      'leaves the call to that attempt',
      LEAVES,
      [LATER, { takeover: 1 }],
      [{ ...LATER, status: 'retrying' }, UNUSED],
    ],
    '`completed`': [
      'returns the recorded result',
      { answer: { kind: 'completed' } },
      [{ status: 'completed' }, { takeover: 1 }],
    ],
    '`retrying`, and `unsafe` now, after an attempt that may have made it, without a takeover': [
      'makes the outcome `unknown`',
      { answer: { kind: 'lost' } },
      [{ status: 'retrying', failure: { error, callFailed: false } }, {}],
    ],
    '`retrying`': [
      'makes the call',
      MAKES,
      [{ status: 'retrying' }, {}],
      [{ status: 'retrying', failure: { error, callFailed: false } }, { takeover: 1 }],
      [{ status: 'retrying', failure: { error, callFailed: false } }, { safety: 'keyed' }],
    ],
    '`claimed`, by an attempt that is known to have made no call': [
      'makes the call',
      MAKES,
      [{}, UNUSED],
      [{ ageMs: 0 }, UNUSED],
    ],
    '`claimed`, and the call is not `unsafe`, or was lost, with a takeover': [
      'makes the call',
      MAKES,
      [{}, { takeover: 1 }],
      [{ ageMs: 0 }, { safety: 'keyed' }],
      [{}, { safety: 'idempotent' }],
    ],
    '`claimed`, by an attempt that still works': [
      'leaves the call to that attempt',
      LEAVES,
      [{ ageMs: 59_999 }, {}],
      [{ ageMs: 0 }, { takeover: 1 }],
    ],
    '`claimed`, by an attempt that was lost': ['makes the outcome `unknown`', { answer: { kind: 'lost' } }, [{}, {}]],
    '`failed` or `unknown`, with a takeover': [
      'makes the call, and counts attempts from 1',
      { isGranted: true, failures: 0 },
      [FAILED, { takeover: 1 }],
      [{ ...FAILED, status: 'unknown' }, { takeover: 1 }],
    ],
    '`failed` or `unknown`': [
      'returns the recorded failure',
      { answer: { kind: 'failed' } },
      [FAILED, { safety: 'idempotent' }],
      [{ ...FAILED, status: 'unknown' }, UNUSED],
    ],
  };

  function verdictOrError(claimant: Claimant, entry: LedgerEntry): unknown {
    try {
      return judgeClaim(claimant, entry);
    } catch (thrown) {
      return thrown;
    }
  }

  test('the README’s table of ledger claims equals the tested table, row by row', () => {
    const readme = readFileSync('src/activities/calls/README.md', 'utf8');
    const rows = [...readme.matchAll(/^ {3}\| (.+?) +\| (.+?) +\|$/gm)].map(([, row, claim]) => [row, claim]);
    const [head, none, ...others] = rows.filter(([row]) => !row?.startsWith('---'));
    expect([head, none]).toEqual([
      ['row', 'the claim'],
      ['none', 'makes the call'],
    ]);
    expect(others).toEqual(Object.entries(ROWS).map(([row, [claim]]) => [row, claim]));
  });

  test.each(Object.entries(ROWS))(
    'the README’s table of claims states the verdict for a ledger row that is %s',
    (_row, [, verdict, ...examples]) => {
      for (const [entry, claimant] of examples)
        expect(verdictOrError(aClaimant(claimant), anEntry(entry))).toMatchObject(verdict);
    },
  );
});

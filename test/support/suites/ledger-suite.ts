import { expect, test } from 'vitest';
import type { CallEnd, LedgerEntry } from '../../../src/store/calls/ledger-claims.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT } from '../builders/store-builders.ts';

/** Requirements on the ledger of every store. */
export function ledgerSuite(store: () => Store): void {
  const claim = (key: string, over: object = {}) => ({
    key,
    tenantId: 'acme',
    runId: 'L',
    node: 'pay',
    called: 'tool:pay',
    requestHash: 'x',
    takeover: 0,
    claim: 'c1',
    scheduledAt: 1,
    journal: null,
    at: AT,
    ...over,
  });
  const neverAsked = () => {
    throw new Error('the judge was asked');
  };

  test('a first claim succeeds, and a second one is judged', async () => {
    expect(await store().ledger.claim(claim('L1'), neverAsked)).toEqual({ failures: 0, before: null });
    const answer = await store().ledger.claim(claim('L1', { claim: 'c2' }), (entry) => ({
      isGranted: false,
      answer: entry.status,
    }));
    expect(answer).toEqual({ answer: 'claimed' });
  });

  test('one of many concurrent claims is first', async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        store().ledger.claim(claim('L2', { claim: `c${n}` }), () => ({ isGranted: false, answer: 'late' as const })),
      ),
    );
    expect(claims.filter((outcome) => 'failures' in outcome)).toHaveLength(1);
  });

  test('an attempt that has lost its claim records nothing', async () => {
    await store().ledger.claim(claim('L3'), neverAsked);
    await store().ledger.claim(claim('L3', { claim: 'c2' }), ({ failures }) => ({ isGranted: true, failures }));
    expect(await store().ledger.complete({ key: 'L3', claim: 'c1' }, 'old')).toBe(false);
    expect(await store().ledger.complete({ key: 'L3', claim: 'c2' }, { ok: 1 })).toBe(true);
    const kept = await store().ledger.claim(claim('L3'), (entry) => ({ isGranted: false, answer: entry.result }));
    expect(kept).toEqual({ answer: { ok: 1 } });
  });

  test('the answers of models are found, truncated when they are very long, and without summaries', async () => {
    const ofModel = (key: string, request: Json) => claim(key, { runId: 'L-said', called: 'model:default', request });
    const settle = async (key: string, end: CallEnd, request: Json = null) =>
      await store().ledger.settle(ofModel(key, request), end, neverAsked);
    await settle('L-said-1', { status: 'completed', result: { kind: 'model', text: 'Hi' } });
    await settle('L-said-2', { status: 'completed', result: { kind: 'model', text: 'x'.repeat(200_000) } });
    const failure = { error: { code: 'MODEL_FAILED', message: 'No' }, callFailed: true } as const;
    await settle('L-said-3', { status: 'failed', failures: 1, failure });
    await store().ledger.settle(
      claim('L-said-4', { runId: 'L-said' }),
      { status: 'completed', result: { text: 'of a tool' } },
      neverAsked,
    );
    await settle('L-said-5', { status: 'completed', result: { kind: 'model', text: 'a\0b\ud800c' } });
    const summary = { status: 'completed', result: { kind: 'model', text: 'A summary' } } as const;
    const messages = (...ids: readonly string[]) => ({ messages: ids.map((id) => ({ id, content: 'a\0"b' })) });
    await settle('L-said-6', summary, messages('m1', 'summarize-0'));
    await settle('L-said-7', { status: 'completed', result: { text: 'Hi' } }, messages('summarize-1', 'm1'));
    const texts = await store().ledger.answerTexts('L-said');
    expect(new Map(texts.map(({ key, text }) => [key, text]))).toEqual(
      new Map([
        ['L-said-1', 'Hi'],
        ['L-said-2', 'x'.repeat(100_000)],
        ['L-said-3', ''],
        ['L-said-5', 'a\ufffdb\ufffdc'],
        ['L-said-7', 'Hi'],
      ]),
    );
  });

  test('each failed attempt is kept, and the request until a later record replaces it', async () => {
    const failure = (message: string) => ({ error: { code: 'TOOL_FAILED', message }, callFailed: true }) as const;
    const { ledger, calls } = store();
    const retrying = { status: 'retrying', failures: 1 } as const;
    await ledger.claim(claim('L-att', { request: { n: 1 } }), neverAsked);
    await ledger.fail({ key: 'L-att', claim: 'c1' }, { ...retrying, failure: failure('a\0') });
    await ledger.claim(claim('L-att', { claim: 'c2' }), () => ({
      isGranted: true,
      failures: 1,
      lostAttempt: failure('lost'),
    }));
    const find = async () => (await calls.inLedger({ runId: 'L', keys: ['L-att'], maxBytes: 100 })).get('L-att');
    expect(await find()).toMatchObject({ status: 'claimed', request: { n: 1 } });
    await ledger.complete({ key: 'L-att', claim: 'c2', request: { n: 2 } }, 'x'.repeat(200));
    const found = await find();
    expect(found).toMatchObject({ status: 'completed', request: { n: 2 }, result: null });
    expect(found?.attempts.map(({ error }) => error.message)).toEqual(['a\0', 'lost']);
    await ledger.settle(claim('L-att2'), { ...retrying, failure: failure('first') }, neverAsked);
    const other = await calls.inLedger({ runId: 'L', keys: ['L-att2'], maxBytes: 100 });
    expect(other.get('L-att2')?.attempts).toMatchObject([{ at: AT, error: { message: 'first' } }]);
  });

  const attemptsOf = async (key: string): Promise<string[]> => {
    const found = await store().calls.inLedger({ runId: 'L', keys: [key], maxBytes: 100 });
    return (found.get(key)?.attempts ?? []).map(({ error }) => error.message);
  };

  test.each(['retrying', 'failed', 'unknown'] as const)(
    'an attempt whose record is repeated because the response was lost is kept once: %s',
    async (status) => {
      const { ledger } = store();
      const keys = [`L-again-${status}`, `L-again2-${status}`, `L-again3-${status}`] as const;
      const failure = { error: { code: 'TOOL_FAILED', message: 'no\0' }, callFailed: false } as const;
      const end = { status, failures: 1, failure, nextAttemptAt: AT } as const;
      await ledger.claim(claim(keys[0]), neverAsked);
      await ledger.claim(claim(keys[1], { claim: 'c0' }), neverAsked);
      for (let times = 0; times < 2; times++) {
        expect(await ledger.fail({ key: keys[0], claim: 'c1' }, end)).toBe(true);
        expect(await ledger.settle(claim(keys[1]), end, () => ({ isGranted: true, failures: 0 }))).toHaveProperty(
          'failures',
        );
        expect(await ledger.settle(claim(keys[2]), end, neverAsked)).toMatchObject({ before: null });
      }
      for (const key of keys) expect(await attemptsOf(key)).toEqual(['no\0']);
    },
  );

  test('an attempt that completes after it was considered lost is kept in addition', async () => {
    const { ledger } = store();
    const failure = (message: string) => ({ error: { code: 'TOOL_FAILED', message }, callFailed: false }) as const;
    await ledger.claim(claim('L-late'), neverAsked);
    await ledger.markUnknown('L-late', { claim: 'c1', status: 'claimed' }, failure('lost'));
    for (let times = 0; times < 2; times++)
      await ledger.fail({ key: 'L-late', claim: 'c1' }, { status: 'unknown', failures: 1, failure: failure('no') });
    expect(await attemptsOf('L-late')).toEqual(['lost', 'no']);
  });

  test('an end without a claim is a row, and the next one is judged', async () => {
    const settle = async (by: string, result: string, isGranted: boolean) =>
      await store().ledger.settle(claim('L6', { claim: by }), { status: 'completed', result }, (entry) =>
        isGranted ? { isGranted, failures: entry.failures } : { isGranted, answer: entry.result },
      );
    expect(await settle('c1', 'first', true)).toEqual({ failures: 0, before: null });
    expect(await settle('c2', 'second', false)).toEqual({ answer: 'first' });
    expect(await settle('c3', 'third', true)).toMatchObject({ before: { claim: 'c1', result: 'first' } });
    expect(await settle('c4', 'fourth', false)).toEqual({ answer: 'third' });
  });

  test('a failure that is recorded without a claim is retried like any other', async () => {
    const error = { code: 'TOOL_FAILED', message: 'no' } as const;
    const failed = {
      status: 'retrying',
      failures: 1,
      failure: { error, callFailed: true },
      nextAttemptAt: AT,
    } as const;
    await store().ledger.settle(claim('L7', { runId: 'L-settled' }), failed, neverAsked);
    expect(await store().ledger.retrying('L-settled')).toMatchObject([{ attempt: 2, lastError: error }]);
  });

  test('a call becomes unknown only if its entry has not changed since it was read', async () => {
    await store().ledger.claim(claim('L5'), neverAsked);
    const failure = { error: { code: 'UNKNOWN_OUTCOME', message: 'lost' }, callFailed: false } as const;
    const unknownAs = async (by: string) =>
      await store().ledger.markUnknown('L5', { claim: by, status: 'claimed' }, failure);
    expect([await unknownAs('c2'), await unknownAs('c1'), await unknownAs('c1')]).toEqual([false, true, false]);
  });

  test('an attempt that is alive revokes its unknown outcome, so that no retry of a person duplicates it', async () => {
    const seen: string[] = [];
    const judge = ({ status }: LedgerEntry) => {
      seen.push(status);
      return { isGranted: false, answer: null } as const;
    };
    await store().ledger.claim(claim('L-alive'), neverAsked);
    const failure = { error: { code: 'UNKNOWN_OUTCOME', message: 'lost' }, callFailed: false } as const;
    await store().ledger.markUnknown('L-alive', { claim: 'c1', status: 'claimed' }, failure);
    await store().ledger.renew('L-alive', 'c1');
    await store().ledger.claim(claim('L-alive', { claim: 'c2', takeover: 1 }), judge);
    await store().ledger.complete({ key: 'L-alive', claim: 'c1' }, 'paid');
    await store().ledger.renew('L-alive', 'c1');
    await store().ledger.claim(claim('L-alive', { claim: 'c2', takeover: 1 }), judge);
    expect(seen).toEqual(['claimed', 'completed']);
  });

  test('a call that will be retried has its last error', async () => {
    await store().ledger.claim(claim('L4', { runId: 'L-retry' }), neverAsked);
    const error = { code: 'TOOL_FAILED', message: 'no' } as const;
    await store().ledger.fail(
      { key: 'L4', claim: 'c1' },
      {
        status: 'retrying',
        failures: 2,
        failure: { error, callFailed: false },
        nextAttemptAt: AT,
      },
    );
    expect(await store().ledger.retrying('L-retry')).toEqual([
      { node: 'pay', attempt: 3, lastError: error, nextAttemptAt: AT },
    ]);
  });

  test('calls for list elements have their index, in order', async () => {
    const failure = { error: { code: 'TOOL_FAILED', message: 'no' }, callFailed: false } as const;
    for (const index of [10, 2]) {
      const key = `L5#${index}`;
      await store().ledger.claim(claim(key, { runId: 'L-elements', index }), neverAsked);
      await store().ledger.fail(
        { key: key, claim: 'c1' },
        { status: 'retrying', failures: 1, failure, nextAttemptAt: AT },
      );
    }
    expect(await store().ledger.retrying('L-elements')).toMatchObject([{ index: 2 }, { index: 10 }]);
  });
}

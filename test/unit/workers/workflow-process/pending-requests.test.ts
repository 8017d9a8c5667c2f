import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPendingRequests } from '../../../../src/workers/workflow-process/pending-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const workedMs = (): number => performance.now();

test('requests have their own answers', async () => {
  const pending = createPendingRequests({ workedMs, onLate: () => undefined });
  const both = Promise.all([pending.add(1, 100), pending.add(2, 100)]);
  pending.settle({ id: 1, kind: 'done' });
  pending.settle({ id: 2, kind: 'failed', message: 'no', stack: undefined });
  expect(await both).toEqual([
    { id: 1, kind: 'done' },
    { id: 2, kind: 'failed', message: 'no', stack: undefined },
  ]);
});

test('when the process ends, it was at work at the oldest request only', async () => {
  const pending = createPendingRequests({ workedMs, onLate: () => undefined });
  const all = Promise.allSettled([pending.add(1, 100), pending.add(2, 100), pending.add(3, 100)]);
  pending.settle({ id: 1, kind: 'done' });
  const end = { kind: 'ended', how: 'it burnt' } as const;
  pending.end(end);
  const message = expect.stringContaining('it burnt');
  expect(await all).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message, end, wasAtWork: true } },
    { status: 'rejected', reason: { message, end, wasAtWork: false } },
  ]);
});

describe('a request is late', () => {
  const watched = (part = 1) => {
    const late: (readonly [number, boolean])[] = [];
    const onLate = (withinMs: number, hasWorked: boolean) => void late.push([withinMs, hasWorked]);
    return { late, pending: createPendingRequests({ workedMs: () => performance.now() * part, onLate }) };
  };

  test('when its turn takes too long, which begins when the one before is answered', async () => {
    const { late, pending } = watched();
    void pending.add(1, 100);
    void pending.add(2, 100);
    await vi.advanceTimersByTimeAsync(90);
    pending.settle({ id: 1, kind: 'done' });
    await vi.advanceTimersByTimeAsync(90);
    expect(late).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(late).toEqual([[100, true]]);
  });

  test('unless its answer has come while this process stood still', async () => {
    const { late, pending } = watched();
    void pending.add(1, 100);
    setTimeout(() => setImmediate(() => pending.settle({ id: 1, kind: 'done' })), 99);
    vi.advanceTimersByTime(100);
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toEqual([]);
  });

  test('by what it has worked: on a busy machine it gets more time, but not for ever', async () => {
    const [half, hardly] = [watched(0.5), watched(0.01)];
    void half.pending.add(1, 100);
    void hardly.pending.add(1, 100);
    await vi.advanceTimersByTimeAsync(190);
    expect([half.late, hardly.late]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(200);
    expect([half.late, hardly.late]).toEqual([[[100, true]], [[100, false]]]);
  });

  test('only as long as there is one', async () => {
    const { late, pending } = watched();
    void pending.add(1, 100);
    pending.settle({ id: 1, kind: 'done' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(late).toEqual([]);
  });
});

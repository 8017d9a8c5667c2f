import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPendingRequests } from '../../../../src/workers/workflow-process/pending-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const workedMs = (): number => performance.now();

test('each request to a workflow process gets its own answer', async () => {
  const pending = createPendingRequests({ workedMs, onLate: () => undefined });
  const both = Promise.all([pending.add(1, 100), pending.add(2, 100)]);
  pending.settle({ id: 1, kind: 'done' });
  pending.settle({ id: 2, kind: 'failed', message: 'no', stack: undefined });
  expect(await both).toEqual([
    { id: 1, kind: 'done' },
    { id: 2, kind: 'failed', message: 'no', stack: undefined },
  ]);
});

test('when a workflow process ends, only the oldest request counts as being executed', async () => {
  const pending = createPendingRequests({ workedMs, onLate: () => undefined });
  const all = Promise.allSettled([pending.add(1, 100), pending.add(2, 100), pending.add(3, 100)]);
  pending.settle({ id: 1, kind: 'done' });
  const end = { kind: 'ended', how: 'it burnt' } as const;
  pending.end(end);
  const message = expect.stringContaining('it burnt');
  expect(await all).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message, end, wasExecuting: true } },
    { status: 'rejected', reason: { message, end, wasExecuting: false } },
  ]);
});

describe('a late request to a workflow process', () => {
  const watched = (part = 1) => {
    const late: (readonly [number, boolean])[] = [];
    const onLate = (withinMs: number, hasWorked: boolean) => void late.push([withinMs, hasWorked]);
    return { late, pending: createPendingRequests({ workedMs: () => performance.now() * part, onLate }) };
  };

  test('a request to a workflow process is reported as late when it takes too long after the answer to the previous request', async () => {
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

  test('a request is not reported as late if its answer arrived while the worker process was suspended', async () => {
    const { late, pending } = watched();
    void pending.add(1, 100);
    setTimeout(() => setImmediate(() => pending.settle({ id: 1, kind: 'done' })), 99);
    vi.advanceTimersByTime(100);
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toEqual([]);
  });

  test('a request to a workflow process is reported as late by its processor time, and on a busy machine after a longer time', async () => {
    const [half, hardly] = [watched(0.5), watched(0.01)];
    void half.pending.add(1, 100);
    void hardly.pending.add(1, 100);
    await vi.advanceTimersByTimeAsync(190);
    expect([half.late, hardly.late]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(200);
    expect([half.late, hardly.late]).toEqual([[[100, true]], [[100, false]]]);
  });

  test('a request to a workflow process is reported as late only while it has no answer', async () => {
    const { late, pending } = watched();
    void pending.add(1, 100);
    pending.settle({ id: 1, kind: 'done' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(late).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { adds, logOf, startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/* A decision is judged by the time at which it was made, whenever the run processes it and its timer. */

const ADA = { sub: 'ada', roles: ['approver'] };
const BOB = { sub: 'bob', roles: ['approver'] };
const MINUTE = 60_000;

type Ask = Partial<NodeDefinition & { readonly type: 'approval' }>;

/**
 * A run that requests an approval for ten minutes and processes nothing for an hour, so its timer is due but has not
 * fired.
 */
function ask(over: Ask = {}): MemoryRun {
  const node = { type: 'approval', title: 'May I?', timeout: '10m', write: { log: '{{ result.decision }}' } } as const;
  return startRun({ nodes: { ask: { ...node, ...over }, next: adds('next') } });
}

const askedAt = ({ run }: MemoryRun): number => Date.parse(run.approvals['run-1.a1']?.requestedAt ?? '');
const after = (run: MemoryRun, minutes: number): string => new Date(askedAt(run) + minutes * MINUTE).toISOString();
const lastReason = ({ events }: MemoryRun): unknown => {
  const last = events.findLast(({ type }) => type === 'signal.ignored');
  return last?.type === 'signal.ignored' ? last.reason : undefined;
};

describe('a decision that is processed after the timeout, but before its timer', () => {
  test.each([
    ['approve', 'reject', 9, 'approved'],
    ['approve', 'reject', 10, 'rejected'],
    ['approve', 'reject', 30, 'rejected'],
    ['reject', 'approve', 9, 'rejected'],
    ['reject', 'approve', 11, 'approved'],
    ['approve', 'expire', 11, 'expired'],
    ['approve', 'expire', 0, 'approved'],
    // Without a time, it counts as made when the run processes it.
    ['approve', 'reject', null, 'rejected'],
    ['reject', 'approve', null, 'approved'],
    // No decision is made after it was processed, nor before its request.
    ['approve', 'reject', 999, 'rejected'],
    ['approve', 'reject', -999, 'approved'],
  ] as const)(
    'a decision %s under the timeout policy %s, made after %j minutes and processed before the timer, gives %s',
    (...[decision, onTimeout, minutes, result]) => {
      const run = ask({ onTimeout });
      const at = minutes === null ? {} : { at: after(run, minutes) };
      run.passTime(60 * MINUTE, () => run.signal(decision, { ...at, by: ADA }));
      expect(logOf(run)).toEqual([result, 'next']);
      const isTaken = result === { approve: 'approved', reject: 'rejected' }[decision];
      expect(lastReason(run)).toBe(isTaken ? undefined : 'approval_expired');
    },
  );

  test('a decision that is processed after the timeout is recorded with the time at which it was made', () => {
    const run = ask();
    run.passTime(60 * MINUTE, () => run.signal('approve', { at: after(run, 3), by: ADA }));
    expect(run.run.approvals['run-1.a1']?.decisions).toMatchObject([{ at: after(run, 3) }]);
  });

  test('a decision in time does not suffice if the second of two required decisions was late', () => {
    const run = ask({ policy: { quorum: 2 }, onTimeout: 'reject' });
    run.passTime(60 * MINUTE, () => {
      run.signal('approve', { at: after(run, 9), by: ADA });
      run.signal('approve', { at: after(run, 11), by: BOB });
    });
    expect(logOf(run)).toEqual(['rejected', 'next']);
  });

  test('a decision that is processed late is judged by the policy at the time at which it was made', () => {
    const policy = { roles: ['boss'], escalate: [{ after: '5m', roles: ['approver'] }] };
    for (const [minutes, result] of [
      [4, 'expired'],
      [6, 'approved'],
    ] as const) {
      const run = ask({ policy });
      run.passTime(60 * MINUTE, () => run.signal('approve', { at: after(run, minutes), by: ADA }));
      expect(logOf(run)).toEqual([result, 'next']);
    }
  });
});

test.each(['', 'now', '2026-01-02', '2026-13-40T00:00:00Z'])('a decision with the time %j is malformed', (at) => {
  const run = ask();
  run.signal('approve', { at, by: ADA });
  expect([run.run.status, lastReason(run)]).toEqual(['waiting', 'malformed']);
});

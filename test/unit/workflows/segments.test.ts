import { describe, expect, test } from 'vitest';
import { NOBODY_AWAITED } from '../../../src/graph/run/compensation.ts';
import { createSegments } from '../../../src/workflows/traces/segments.ts';
import type { Segments } from '../../../src/workflows/traces/segments.ts';

type Progress = Parameters<Segments['observe']>[0];

const compensation = { pending: [], doneCount: 0, failures: [], perhapsMade: [], ...NOBODY_AWAITED };

const PHASES = {
  running: { kind: 'running', pause: null },
  waiting: { kind: 'waiting' },
  completed: { kind: 'completed', endedAt: 1, output: {} },
} as const;

const trace = { parent: 'p', graph: 'g', threadId: null };

/** A run that comes to a phase by so many events; the counter goes on. */
function aRun(segments: Segments) {
  let seq = 0;
  return (phase: keyof typeof PHASES, ...types: readonly Progress['events'][number]['type'][]): void => {
    seq += types.length;
    const run = { phase: PHASES[phase], compensation, counters: { seq } };
    segments.observe({ run, events: types.map((type) => ({ type })) });
  };
}

const begin = (state: ReturnType<Segments['state']> | null = null, execution = 1): Segments =>
  createSegments({ trace, execution, state });

describe('segments', () => {
  test('end where the run waits, and where it ends', () => {
    const segments = begin();
    const becomes = aRun(segments);
    becomes('running', 'run.started', 'step.started');
    expect(segments.takeEnded()).toBeNull();
    becomes('waiting', 'approval.requested');
    expect(segments.takeEnded()?.segments).toEqual([{ name: '1.1', after: 0, upTo: 3 }]);
    segments.begins('sent');
    becomes('running', 'approval.decided', 'node.completed');
    expect(segments.current()).toEqual({ ...trace, segment: '1.2' });
    becomes('completed', 'run.completed');
    expect(segments.takeEnded()).toEqual({
      run: trace,
      segments: [{ name: '1.2', after: 3, upTo: 6, sentIn: 'sent' }],
    });
    expect(segments.takeEnded()).toBeNull();
  });

  test('are also from one wait to the next in one step, but not of what changes nothing', () => {
    const segments = begin();
    const becomes = aRun(segments);
    becomes('waiting', 'run.started', 'approval.requested', 'step.started');
    becomes('waiting', 'signal.ignored');
    becomes('waiting', 'approval.decided', 'node.completed', 'approval.requested');
    expect(segments.takeEnded()?.segments.map(({ name, after, upTo }) => [name, after, upTo])).toEqual([
      ['1.1', 0, 3],
      ['1.2', 4, 7],
    ]);
  });

  test('go on in the next execution of the workflow', () => {
    const before = begin();
    aRun(before)('running', 'run.started', 'step.started');
    const after = begin(before.state());
    expect(after.current().segment).toBe('1.1');
    aRun(after)('running');
    expect(after.takeEnded()).toBeNull();
  });

  test('of a reopened run have other names', () => {
    const segments = begin(null, 2);
    aRun(segments)('running', 'run.retried');
    expect(segments.current().segment).toBe('2.1');
  });
});

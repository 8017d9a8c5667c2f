import { describe, expect, test } from 'vitest';
import { createSegments } from '../../../src/workflows/segments.ts';
import type { Segments } from '../../../src/workflows/segments.ts';

type Progress = Parameters<Segments['observe']>[0];
type ToldEvent = Progress['events'][number];

const PHASES = {
  running: { kind: 'running', pause: null },
  waiting: { kind: 'waiting' },
  completed: { kind: 'completed', endedAt: 1, output: {} },
} as const;

const trace = { parent: 'p', graph: 'g', threadId: null };

/** A run that comes to a phase by so many events; the counter goes on. */
function aRun(segments: Segments) {
  let seq = 0;
  return (phase: keyof typeof PHASES, ...told: readonly (ToldEvent | ToldEvent['type'])[]): void => {
    seq += told.length;
    const run = { phase: PHASES[phase], counters: { seq } };
    segments.observe({ run, events: told.map((event) => (typeof event === 'string' ? { type: event } : event)) });
  };
}

const begin = (state: ReturnType<Segments['state']> | null = null, execution = 1): Segments =>
  createSegments({ trace, execution, state, isAgent: ({ node }) => node === 'agent' });

describe('the segments of a traced run', () => {
  test('the trace segments of a run end when the run waits, and when it ends', () => {
    const segments = begin();
    const becomes = aRun(segments);
    becomes('running', 'run.started', 'step.started');
    expect(segments.takeEnded()).toBeNull();
    becomes('waiting', 'approval.requested');
    expect(segments.takeEnded()?.segments).toEqual([{ name: '1.1', after: 0, upTo: 3 }]);
    segments.beginOccurrence('sent');
    becomes('running', 'approval.decided', 'node.completed');
    expect(segments.current()).toEqual({ ...trace, segment: '1.2' });
    becomes('completed', 'run.completed');
    expect(segments.takeEnded()).toEqual({
      run: trace,
      segments: [{ name: '1.2', after: 3, upTo: 6, sentIn: 'sent' }],
    });
    expect(segments.takeEnded()).toBeNull();
  });

  test('the trace segments of a run include one from wait to wait within a single step, but none for an ignored signal', () => {
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

  test('a trace segment of a run continues in the next execution of the workflow', () => {
    const before = begin();
    aRun(before)('running', 'run.started', 'step.started');
    const after = begin(before.state());
    expect(after.current().segment).toBe('1.1');
    aRun(after)('running');
    expect(after.takeEnded()).toBeNull();
  });

  test('the trace segments of a run list their agents, and the visits that began in earlier segments', () => {
    const segments = begin();
    const becomes = aRun(segments);
    const agent = { node: 'agent', visit: 1, path: ['outer'] };
    becomes('waiting', 'step.started', { type: 'node.started', ...agent }, { type: 'approval.requested', ...agent });
    becomes('waiting', { type: 'node.completed', node: 'other', visit: 1 });
    becomes('completed', { type: 'approval.decided', ...agent }, { type: 'node.completed', ...agent });
    expect(segments.takeEnded()?.segments).toEqual([
      { name: '1.1', after: 0, upTo: 3, agents: ['outer/agent'] },
      { name: '1.2', after: 3, upTo: 4 },
      { name: '1.3', after: 4, upTo: 6, agents: ['outer/agent'], resumed: [{ ...agent, toldIn: '1.1' }] },
    ]);
  });

  test('the trace segments of a run keep the open visits for the next execution, including failed ones', () => {
    const before = begin();
    const agent = { node: 'agent', visit: 1, index: 2 };
    aRun(before)('waiting', 'step.started', { type: 'node.started', ...agent }, { type: 'node.failed', ...agent });
    const after = begin(before.state());
    aRun(after)('running', 'run.retried', { type: 'node.started', ...agent }, { type: 'node.completed', ...agent });
    aRun(after)('completed', { type: 'node.started', node: 'agent', visit: 2, index: 2 });
    expect(after.takeEnded()?.segments.map(({ resumed }) => resumed)).toEqual([
      undefined,
      [{ ...agent, toldIn: '1.1' }],
    ]);
  });

  test('the trace segments of a reopened run have other names', () => {
    const segments = begin(null, 2);
    aRun(segments)('running', 'run.retried');
    expect(segments.current().segment).toBe('2.1');
  });
});

import { describe, expect, test } from 'vitest';
import { nodeStates } from '../../../../console/src/pages/runs/graph/node-states.ts';
import { FAILURE, asked, completed, decided, failed, history, started } from './sample-events.ts';

function statusOf(node: string, ...given: Parameters<typeof nodeStates>): string | undefined {
  return nodeStates(...given).get(node)?.status;
}

describe('the nodes of a run', () => {
  test('the console shows for the nodes of a run the state of their last event', () => {
    const events = history(started('a'), completed('a'), started('b'), started('c'), failed('c'));
    const states = nodeStates(events);
    expect([...states].map(([node, { status }]) => [node, status])).toEqual([
      ['a', 'completed'],
      ['b', 'running'],
      ['c', 'failed'],
    ]);
  });

  test('the console counts the visits of a node, and forgets the outcome of earlier ones', () => {
    const state = nodeStates(history(started('a'), failed('a'), started('a', 2))).get('a');
    expect(state).toEqual({ status: 'running', visits: 2, elements: [] });
  });

  test('the console shows a node as waiting for an approval until its quorum is complete', () => {
    const events = history(started('ask'), asked('ask'), decided('ask', 'pending'), decided('ask', 'approved'));
    expect(events.map((_, place) => statusOf('ask', events.slice(0, place + 1)))).toEqual([
      'running',
      'waiting',
      'waiting',
      'running',
    ]);
  });

  test('the console shows a node as waiting where only the run reports it, also within subgraphs', () => {
    const events = history({ ...started('nap'), path: ['outer'] }, started('a'), completed('a'));
    expect(statusOf('outer/nap', events, [{ node: 'nap' }])).toBe('waiting');
    expect(statusOf('a', events, [{ node: 'a' }])).toBe('completed');
  });

  test('the console lists the elements of a map node, which has the state of the element with the highest priority', () => {
    const state = nodeStates(
      history({ ...started('each'), index: 0 }, { ...started('each'), index: 1 }, { ...completed('each'), index: 0 }),
    ).get('each');
    expect(state).toEqual({
      status: 'running',
      visits: 1,
      elements: [
        { index: 0, status: 'completed' },
        { index: 1, status: 'running' },
      ],
    });
  });

  test('the console shows a node as running again on a retry, and as stopped with its run', () => {
    const events = history(
      started('a'),
      failed('a'),
      { type: 'run.failed', error: FAILURE },
      { type: 'run.retried', node: 'a', by: 'uma' },
      { type: 'run.canceled', by: 'uma', reason: null },
    );
    expect(statusOf('a', events.slice(0, 3))).toBe('failed');
    expect(statusOf('a', events.slice(0, 4))).toBe('running');
    expect(statusOf('a', events)).toBe('canceled');
  });
});

import { describe, expect, test } from 'vitest';
import { pathRows } from '../../../../console/src/pages/runs/path-rows.ts';
import { taskName } from '../../../../console/src/pages/runs/data/history.ts';
import {
  readMetadata,
  readSearch,
  toBulkFilter,
  toFilter,
  writeSearch,
} from '../../../../console/src/pages/runs/run-query.ts';
import {
  findConversations,
  joinDelta,
  withoutCalls,
} from '../../../../console/src/pages/runs/messages/conversations.ts';
import type { PartialReplies } from '../../../../console/src/pages/runs/messages/conversations.ts';
import { tasksOf } from '../../../../console/src/pages/runs/graph/node-states.ts';
import { changedBy } from '../../../../console/src/pages/runs/run/changed-by.ts';
import { completed, history, saved, started } from './sample-events.ts';

describe('a search for runs', () => {
  const QUERY = new URLSearchParams({ status: 'waiting,failed', graph: 'shop', metadata: 'order=A-1' }).toString();

  test('the console parses a run search from a URL and formats it to one', () => {
    const search = readSearch(new URLSearchParams(`${QUERY}&other=1`));
    expect(writeSearch(search).toString()).toBe(QUERY);
  });

  test('a run search of the console ignores an unknown status', () => {
    expect(readSearch(new URLSearchParams('status=waiting,nice')).statuses).toEqual(['waiting']);
  });

  test('a run search of the console becomes a filter of the API, for lists and for many runs', () => {
    const search = readSearch(new URLSearchParams(QUERY));
    expect(toFilter(search)).toEqual({ status: ['waiting', 'failed'], graph: 'shop', metadata: { order: 'A-1' } });
    expect(toBulkFilter(readSearch(new URLSearchParams()))).toEqual({});
  });

  test('a run search of the console accepts metadata with quoted spaces', () => {
    expect(readMetadata('order=A-1 name:"Ann B" x')).toEqual({ order: 'A-1', name: 'Ann B' });
  });
});

describe('a partial reply of a model', () => {
  const delta = { node: 'answer', visit: 1, attempt: 1, callKey: 'k', index: 0, text: 'Dear ' };

  const join = (...deltas: readonly Partial<typeof delta>[]): PartialReplies => {
    let replies: PartialReplies = new Map();
    for (const one of deltas) replies = joinDelta(replies, { ...delta, ...one });
    return replies;
  };

  test('the console joins the deltas of a model’s reply in order, each once', () => {
    expect(join({}, { index: 1, text: 'Ann' }, { index: 1, text: 'Ann' }).get('k')?.text).toBe('Dear Ann');
  });

  test('the console starts a model’s reply over with a later attempt, and ignores an older one', () => {
    const replies = join({}, { attempt: 2, text: 'Hi' }, { index: 1, text: 'old' });
    expect(replies.get('k')).toMatchObject({ attempt: 2, text: 'Hi' });
  });

  test('the console marks a model’s reply in which a delta is missing', () => {
    expect(join({ index: 3 }).get('k')?.hasGaps).toBe(true);
  });

  test('the console removes a model’s partial reply when the call has ended', () => {
    expect(withoutCalls(join({}), new Set(['k']))).toEqual([]);
  });
});

test('the console shows a channel as a conversation if it is a list of messages', () => {
  const messages = [
    { id: 'm1', role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', toolCalls: [{ id: 't', name: 'look', args: { n: 1 } }, 7] },
  ];
  const found = findConversations({ messages, list: [1], mixed: [messages[0], 'x'], empty: [], text: 'x' });
  expect(found.map(({ channel }) => channel)).toEqual(['messages']);
  expect(found[0]?.messages[1]).toMatchObject({ id: '1', toolCalls: [{ name: 'look' }] });
});

test('the console lists for each checkpoint the changes since the previous one, with their authors', () => {
  const changes = changedBy(
    history(
      saved('c1'),
      { ...completed('inner'), path: ['outer'] },
      { ...completed('each'), index: 2 },
      saved('c2'),
      { type: 'state.updated', values: { amount: 60 }, by: 'uma' },
      saved('c3'),
    ),
  );
  expect(Object.fromEntries(changes)).toEqual({
    c1: [],
    c2: [{ channel: 'each', by: 'each[2]' }],
    c3: [{ channel: 'amount', by: 'uma' }],
  });
});

test('the console lists the tasks of a node without those of a node with the same id in another graph, the latest visit first', () => {
  const events = history(started('a'), completed('a'), started('a', 2), { ...started('a'), path: ['outer'] });
  expect(tasksOf(events, { path: [], node: 'a' }).map(({ visit, events: own }) => [visit, own.length])).toEqual([
    [2, 1],
    [1, 2],
  ]);
  expect(tasksOf(events, { path: ['outer'], node: 'a' })).toHaveLength(1);
});

test('the console pairs the supersteps of two compared runs by number', () => {
  expect(pathRows([['a'], ['b', 'c']], [['a'], ['d'], ['e']])).toEqual([
    { number: 1, left: 'a', right: 'a', isSame: true },
    { number: 2, left: 'b, c', right: 'd', isSame: false },
    { number: 3, left: '', right: 'e', isSame: false },
  ]);
});

test('the name of a task in the console includes its enclosing nodes', () => {
  expect(taskName({ path: ['outer'], node: 'pay', index: 2, visit: 3 })).toBe('outer/pay[2] (visit 3)');
});

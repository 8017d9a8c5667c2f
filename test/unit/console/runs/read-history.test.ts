import { describe, expect, test } from 'vitest';
import { readHistory } from '../../../../console/src/pages/runs/data/history.ts';
import type { RunEvent } from '../../../../console/src/pages/runs/data/history.ts';
import { completed, history, started } from './sample-events.ts';

interface Asked {
  readonly limit?: number;
  readonly after?: number;
}

/** A client whose pages have two events, whatever the limit. It records the requests. */
function runsOf(events: readonly RunEvent[]) {
  const asked: Asked[] = [];
  const history = (_id: string, page: Asked = {}) => ({
    page: async () => {
      asked.push(page);
      const next = (page.after ?? 0) + 2;
      return { items: events.slice(next - 2, next), nextCursor: next < events.length ? 'more' : null };
    },
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  });
  return { runs: { history }, asked };
}

const EVENTS = history(started('a'), completed('a'), started('b'), completed('b'), started('c'));

describe('a history', () => {
  test('the console loads a run’s history page by page, with a report after each', async () => {
    const { runs, asked } = runsOf(EVENTS);
    const told: number[] = [];
    const onPage = (known: readonly RunEvent[]): void => void told.push(known.length);
    expect(await readHistory(runs, { runId: 'r', known: [], onPage })).toEqual(EVENTS);
    expect(told).toEqual([2, 4]);
    expect(asked).toEqual([
      { limit: 200, after: 0 },
      { limit: 1_000, after: 2 },
      { limit: 1_000, after: 4 },
    ]);
  });

  test('the console loads a run’s history from the first unknown event', async () => {
    const { runs, asked } = runsOf(EVENTS);
    expect(await readHistory(runs, { runId: 'r', known: EVENTS.slice(0, 3) })).toEqual(EVENTS);
    expect(asked).toEqual([{ limit: 1_000, after: 3 }]);
  });

  test('a run’s history in the console stays the same JavaScript object if there are no new events', async () => {
    expect(await readHistory(runsOf(EVENTS).runs, { runId: 'r', known: EVENTS })).toBe(EVENTS);
  });
});

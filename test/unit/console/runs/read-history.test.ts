import { describe, expect, test } from 'vitest';
import { NOTHING_KNOWN, readHistory } from '../../../../console/src/pages/runs/history/read-history.ts';
import type { RunEvent } from '../../../../console/src/pages/runs/history/run-event.ts';
import { completed, history, started } from './sample-events.ts';

/** Runs whose pages have two events; it counts them. */
function runsOf(events: readonly RunEvent[]) {
  const asked: (string | undefined)[] = [];
  const page = async (cursor?: string) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    const next = from + 2;
    return { items: events.slice(from, next), nextCursor: next < events.length ? String(next) : null };
  };
  const history = () => ({
    page,
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  });
  return { runs: { history }, asked };
}

const EVENTS = history(started('a'), completed('a'), started('b'), completed('b'), started('c'));

describe('a history', () => {
  test('is read page by page, and told of after each', async () => {
    const { runs } = runsOf(EVENTS);
    const told: number[] = [];
    const known = await readHistory(runs, {
      runId: 'r',
      known: NOTHING_KNOWN,
      onPage: ({ events }) => told.push(events.length),
    });
    expect(known.events).toEqual(EVENTS);
    expect(told).toEqual([2, 4]);
  });

  test('goes on with its last page, and has no event twice', async () => {
    const known = await readHistory(runsOf(EVENTS.slice(0, 3)).runs, { runId: 'r', known: NOTHING_KNOWN });
    const { runs, asked } = runsOf(EVENTS);
    const more = await readHistory(runs, { runId: 'r', known });
    expect(more.events).toEqual(EVENTS);
    expect(asked).toEqual(['2', '4']);
  });

  test('is the same object when nothing is new', async () => {
    const { runs } = runsOf(EVENTS);
    const known = await readHistory(runs, { runId: 'r', known: NOTHING_KNOWN });
    expect(await readHistory(runs, { runId: 'r', known })).toBe(known);
  });
});

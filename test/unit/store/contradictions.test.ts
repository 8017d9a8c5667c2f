import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import { isContradiction } from '../../../src/store/database/database-away.ts';
import { AT, LATER, aBatch, aCheckpoint, aNewRun, aView, writeTo } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const called = { step: 1, type: 'tool.called', node: 'pay', visit: 1, tool: 'pay', attempts: 1 } as const;
const anEnd = (over: object = {}): RunEvent => ({
  ...called,
  seq: 2,
  at: AT,
  durationMs: 12,
  idempotencyKey: 'R:pay:1:0:0',
  result: { paid: 5, note: 'a\u0000b' },
  ...over,
});

/**
 * Writes an event with number 2, and then another one with the same number.
 * @returns the journal's event, and the error
 */
async function writeTwice(id: string, first: RunEvent, second: RunEvent) {
  await store.runs.create(aNewRun({ id }));
  await writeTo(store, { id }, aBatch([1]));
  await writeTo(store, { id }, aBatch([], { events: [first] }));
  const view = aView({ status: 'waiting' });
  const checkpoints = [aCheckpoint(id, 3)];
  const next: RunEvent = { ...second, seq: 3 };
  const error: unknown = await writeTo(store, { id }, aBatch([], { events: [second, next], view, checkpoints })).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const events = await store.journal.events(id, 0, 10);
  return { error, second: events[1], last: events.at(-1)?.seq, status: (await store.runs.find(id))?.status };
}

test.each([
  ['at another time', { at: LATER }],
  ['after a longer time', { durationMs: 0 }],
  ['in another order', { result: { note: 'a\u0000b', paid: 5 } }],
])(
  'a run may write the same event again, %s: the journal keeps the first event, and later writes succeed',
  async (how, over) => {
    const result = await writeTwice(`same ${how}`, anEnd(), anEnd(over));
    expect(result).toEqual({ error: null, second: anEnd(), last: 3, status: 'waiting' });
  },
);

test.each([
  ['with another result', { result: { paid: 6, note: 'a\u0000b' } }],
  ['with another key', { idempotencyKey: 'R:pay:1:0:1' }],
  ['with another node', { node: 'buy' }],
])('an event batch with a contradicting event (%s) is refused as a whole', async (how, over) => {
  const { error, ...result } = await writeTwice(`else ${how}`, anEnd(), anEnd(over));
  expect(isContradiction(error)).toBe(true);
  expect(result).toEqual({ second: anEnd(), last: 2, status: 'running' });
});

test('database errors of other constraints are not contradictions of the journal', () => {
  expect(isContradiction(Object.assign(new Error('no'), { code: '23514', constraint: 'of_others' }))).toBe(false);
  expect(isContradiction(new Error('no'))).toBe(false);
});

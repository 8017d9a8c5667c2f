import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/graph/journal/events.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../../support/builders/store-builders.ts';
import { openMemoryStore } from '../../../support/servers/memory-database.ts';
import type { MemoryStore } from '../../../support/servers/memory-database.ts';

const MAX_BYTES = 65_536;
const PAGE = { limit: 50 };

let store: MemoryStore;
beforeAll(async () => {
  store = await openMemoryStore();
  await store.runs.create(aNewRun({ id: 'R' }));
});
afterAll(async () => await store.close());

const subject = (seq: number, node: string) => ({ seq, at: AT, step: 0, node, visit: 1, tool: 't' });
interface Asked {
  readonly seq: number;
  readonly node: string;
  readonly key: string;
}
const requested = ({ seq, node, key }: Asked, args: Json = {}): RunEvent => ({
  ...subject(seq, node),
  type: 'tool.requested',
  args,
  idempotencyKey: key,
});
const called = ({ seq, node, key }: Asked, result: Json): RunEvent => ({
  ...subject(seq, node),
  type: 'tool.called',
  result,
  attempts: 2,
  durationMs: 7,
  idempotencyKey: key,
  local: true,
});

test('calls are found by their keys and nodes, whatever their arguments and results hold, however late they end', async () => {
  const hostile = {
    text: `\0\ud800,"attempts":9}`,
    idempotencyKey: 'R:pay:1:0:0',
    node: 'pay',
    result: 1,
    attempts: 9,
  };
  const large = [hostile, 'x'.repeat(MAX_BYTES), hostile];
  const events = [
    requested({ seq: 1, node: 'pay', key: 'R:pay:1:0:0' }),
    requested({ seq: 2, node: 'pay', key: 'R:out.1.0/pay#3:1:0:0' }),
    requested({ seq: 3, node: 'repay', key: 'R:repay:1:0:0' }, hostile),
    called({ seq: 4, node: 'repay', key: 'R:repay:1:0:0' }, hostile),
    called({ seq: 3_000, node: 'pay', key: 'R:pay:1:0:0' }, large),
  ];
  for (const event of events) await writeTo(store, { id: 'R' }, { ...aBatch([]), events: [event] });
  expect(await store.calls.find('R', 'R:pay:1:0:0')).toEqual(events[0]);
  expect((await store.calls.list('R', { node: 'pay' }, PAGE)).items).toEqual(events.slice(0, 2));
  expect((await store.calls.list('R', { node: 'repay' }, PAGE)).items).toEqual([events[2]]);
  const wanted = { runId: 'R', keys: ['R:pay:1:0:0', 'R:repay:1:0:0'], maxBytes: MAX_BYTES };
  const { result: _result, ...end } = { result: null, ...events[4] };
  expect(await store.calls.endsOf(wanted)).toEqual([events[3], end]);
  expect(await store.calls.endsOf({ ...wanted, maxBytes: 1_000_000 })).toEqual([events[3], events[4]]);
});

test('a page of some calls is full while others follow, whatever the database has to leave to us', async () => {
  await store.runs.create(aNewRun({ id: 'P' }));
  // A key with a path that was shortened does not say its node.
  const nodes = ['no', 'no', 'pay', 'no', 'pay', 'no', 'no', 'pay', 'pay', 'no'];
  const events = nodes.map((node, index) => requested({ seq: index + 1, node, key: `P:~${index}:1:0:0` }));
  for (const event of events) await writeTo(store, { id: 'P' }, { ...aBatch([]), events: [event] });
  const page = async (after?: string) => {
    const { items, next } = await store.calls.list(
      'P',
      { node: 'pay' },
      { limit: 3, ...(after && { after: { at: AT, id: after } }) },
    );
    return [items.map(({ seq }) => seq), next?.id];
  };
  expect(await page()).toEqual([[3, 5, 8], '8']);
  expect(await page('8')).toEqual([[9], undefined]);
});

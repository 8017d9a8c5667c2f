import { setTimeout } from 'node:timers/promises';
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

test('calls of a run are found by key and node, independently of their arguments, results and time of their end', async () => {
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

test('a page of filtered calls is full while others follow, even if the database can only filter partly', async () => {
  await store.runs.create(aNewRun({ id: 'P' }));
  // A shortened path in a key does not contain the node.
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

test('a page of a run’s calls reads a limited part of the history, and returns the position to continue from', async () => {
  await store.runs.create(aNewRun({ id: 'B' }));
  const events = Array.from({ length: 12 }, (_, index) =>
    requested({ seq: index + 1, node: index === 11 ? 'pay' : 'no', key: `B:~${index}:1:0:0` }),
  );
  await writeTo(store, { id: 'B' }, { ...aBatch([]), events });
  const page = async (after?: string) => {
    const request = { limit: 1, ...(after && { after: { at: AT, id: after } }) };
    const { items, next } = await store.calls.list('B', { node: 'pay' }, request);
    return [items.map(({ seq }) => seq), next?.id];
  };
  expect(await page()).toEqual([[], '10']);
  expect(await page('10')).toEqual([[12], undefined]);
});

test('calls of a run are open until the history or the ledger has their end, and calls before the given event are left out', async () => {
  const runId = 'O';
  await store.runs.create(aNewRun({ id: runId }));
  const begin = (seq: number): Asked => ({ seq, node: 'pay', key: `O:pay#${seq}:1:0:0` });
  const events: readonly RunEvent[] = [
    requested(begin(1)),
    requested(begin(2), ['\0 \ud800', 'x'.repeat(MAX_BYTES)]),
    requested(begin(3)),
    requested(begin(4)),
    {
      ...subject(5, 'work'),
      type: 'function.requested',
      function: 'f',
      args: null,
      idempotencyKey: 'O:work:1:0:0',
    },
    called({ ...begin(3), seq: 6 }, 'done'),
    {
      ...subject(7, 'ask'),
      type: 'model.called',
      model: 'm',
      attempts: 1,
      durationMs: 1,
      idempotencyKey: 'O:ask:1:0:0',
    },
  ];
  for (const event of events) await writeTo(store, { id: runId }, { ...aBatch([]), events: [event] });
  const { key } = begin(4);
  const claim = { tenantId: 'acme', runId, node: 'pay', called: 'tool:t', requestHash: 'h', takeover: 0, claim: 'c' };
  await store.ledger.claim({ key, ...claim, scheduledAt: 1, at: AT, journal: null }, () => {
    throw new Error('There is no entry before');
  });
  const open = async (after: number) => (await store.calls.open(runId, after)).map(({ seq }) => seq);
  expect([await open(0), await open(1)]).toEqual([
    [1, 2, 4, 5],
    [2, 4, 5],
  ]);
  await store.ledger.complete({ key, claim: 'c' }, 'done');
  expect(await open(0)).toEqual([1, 2, 5]);
});

test('a failed call is open after a person’s takeover until it fails again', async () => {
  const runId = 'A';
  await store.runs.create(aNewRun({ id: runId }));
  const key = 'A:pay:1:0:0';
  const write = async (...events: readonly RunEvent[]): Promise<void> =>
    await writeTo(store, { id: runId }, { ...aBatch([]), events });
  const now = (): string => new Date().toISOString();
  const failure = { callFailed: false, error: { code: 'TOOL_FAILED', message: 'no' } } as const;
  const named = { key, tenantId: 'acme', runId, node: 'pay', called: 'tool:t', requestHash: 'h' };
  const claim = (id: string, takeover: number) => ({
    ...named,
    takeover,
    claim: id,
    scheduledAt: Date.now(),
    at: now(),
    journal: null,
  });
  const settle = async (id: string, takeover: number) =>
    await store.ledger.settle(claim(id, takeover), { status: 'failed', failure }, () => ({
      isGranted: true,
      failures: 0,
    }));
  const open = async () => (await store.calls.open(runId, 0)).map(({ seq }) => seq);

  await write({ ...requested({ seq: 1, node: 'pay', key }), at: now() });
  await settle('c1', 0);
  expect(await open()).toEqual([]);
  await write({ ...called({ seq: 2, node: 'pay', key }, null), at: now() });
  await setTimeout(5);
  await write({ ...requested({ seq: 3, node: 'pay', key }, ['\0 \ud800']), at: now() });
  expect(await open()).toEqual([3]);
  await settle('c2', 1);
  expect(await open()).toEqual([]);
});

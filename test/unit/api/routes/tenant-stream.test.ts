import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../../../src/graph/journal/events.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { AT, aBatch, aNewRun, writeTo } from '../../../support/builders/store-builders.ts';
import { readEventStream } from '../../../support/readers/event-stream.ts';
import type { EventStream, Frame } from '../../../support/readers/event-stream.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({}, { streaming: { heartbeatMs: 50 } });
  for (const id of ['A', 'B']) await api.store.runs.create(aNewRun({ id, tenantId: 'demo' }));
  const redaction = { ...NOTHING_REDACTED, channels: ['secret'] };
  const graph = { name: 'quiet', version: 1, hash: 'h1' };
  await api.store.runs.create(aNewRun({ id: 'Q', tenantId: 'demo', graph, redaction }));
  await api.store.runs.create(aNewRun({ id: 'O', tenantId: 'other' }));
});
afterAll(async () => {
  await api.stop();
});

type Caller = 'user' | 'admin' | 'otherTenantUser';

async function open(query = '', headers: Record<string, string> = {}, caller: Caller = 'user'): Promise<EventStream> {
  const response = await api.request(`/api/events${query}`, {
    headers: { authorization: `Bearer ${api.tokens[caller]}`, ...headers },
  });
  expect(response.status).toBe(200);
  const stream = readEventStream(response);
  onTestFinished(() => stream.close());
  await stream.next();
  await until(stream, ({ id }) => id !== undefined);
  return stream;
}

/** Reads up to a frame that fulfills a condition. */
async function until(stream: EventStream, isWanted: (frame: Frame) => boolean): Promise<Frame> {
  for (;;) {
    const frame = await stream.next();
    if (!frame) throw new Error('The stream has ended');
    if (isWanted(frame)) return frame;
  }
}

const nextEvent = async (stream: EventStream): Promise<Frame> => await until(stream, ({ data }) => data !== undefined);

/** Reads some events, as run ids with event numbers. */
async function names(stream: EventStream, count: number): Promise<string[]> {
  const all: string[] = [];
  while (all.length < count) {
    const { runId, seq }: { runId: string; seq: number } = JSON.parse((await nextEvent(stream))['data'] ?? '');
    all.push(`${runId}${seq}`);
  }
  return all;
}

let last = 0;
/** Writes the next events to a run. */
async function write(id: string, count = 1, tenantId = 'demo'): Promise<string[]> {
  const seqs = Array.from({ length: count }, () => (last += 1));
  await writeTo(api.store, { id, tenantId }, aBatch(seqs));
  return seqs.map((seq) => `${id}${seq}`);
}

describe('the stream of a tenant', () => {
  test('the event stream of a tenant contains the future events of all its runs, and of no other tenant', async () => {
    await write('A');
    const [mine, second, theirs] = [await open(), await open(), await open('', {}, 'otherTenantUser')];
    const foreign = await write('O', 1, 'other');
    const expected = [...(await write('A', 2)), ...(await write('B')), ...(await write('A'))];
    expect(await names(mine, 4)).toEqual(expected);
    expect(await names(second, 4)).toEqual(expected);
    expect(await names(theirs, 1)).toEqual(foreign);
  });

  test('the event stream of a tenant resumes after any event or heartbeat, without gap or repetition', async () => {
    const stream = await open();
    const start = await until(stream, (frame) => frame['id'] !== undefined && frame['data'] === undefined);
    const expected = [...(await write('A', 3)), ...(await write('B', 2))];
    const ids: string[] = [start['id'] ?? ''];
    for (const _event of expected) ids.push((await nextEvent(stream))['id'] ?? '');
    const more = await write('B');
    for (const [n, id] of ids.entries()) {
      const resumed = readEventStream(
        await api.request('/api/events', {
          headers: { authorization: `Bearer ${api.tokens.user}`, 'last-event-id': id },
        }),
      );
      expect(await names(resumed, expected.length - n + 1)).toEqual([...expected.slice(n), ...more]);
      await resumed.close();
    }
  });

  test('the event stream of a tenant first sends its start position, so that a reader that is disconnected then loses nothing', async () => {
    const headers = { authorization: `Bearer ${api.tokens.user}` };
    const stream = readEventStream(await api.request('/api/events', { headers }));
    const [retry, beginning] = [await stream.next(), await stream.next()];
    expect([retry, beginning]).toEqual([{ retry: '1000' }, { id: expect.any(String) }]);
    await stream.close();
    const missed = await write('A', 2);
    expect(await names(await open('', { 'last-event-id': beginning?.['id'] ?? '' }), 2)).toEqual(missed);
  });

  test('the event stream of a tenant can be filtered by graph and by event types', async () => {
    const [ofGraph, ofType] = [await open('?graph=quiet'), await open('?type=run.paused,run.canceled')];
    const paused: RunEvent = { seq: 9_001, at: AT, step: 0, type: 'run.paused', reason: null, nodes: [], by: 'u' };
    await write('A');
    await writeTo(api.store, { id: 'A', tenantId: 'demo' }, aBatch([9_001], { events: [paused] }));
    const quiet = await write('Q');
    expect(await names(ofGraph, 1)).toEqual(quiet);
    expect(await nextEvent(ofType)).toMatchObject({ event: 'run.paused' });
    for (const query of ['?type=', '?type=a', '?graph=', '?type=a.b&type=c.d'])
      expect(await api.as('user').get(`/api/events${query}`)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  });

  test("redacted values in the event stream of a tenant depend on the reader's permissions", async () => {
    const [hidden, whole] = [await open(), await open('', {}, 'admin')];
    last += 1;
    const secret: RunEvent = { seq: last, at: AT, step: 0, type: 'state.updated', values: { secret: 'pin' }, by: 'u' };
    await writeTo(api.store, { id: 'Q', tenantId: 'demo' }, aBatch([last], { events: [secret] }));
    expect(JSON.parse((await nextEvent(hidden))['data'] ?? '')).toMatchObject({ values: { secret: '[redacted]' } });
    expect(JSON.parse((await nextEvent(whole))['data'] ?? '')).toMatchObject({ values: { secret: 'pin' } });
  });

  test('the event stream of a tenant accepts only its own event ids', async () => {
    const { id = '' } = await until(await open('', {}, 'otherTenantUser'), (frame) => frame['id'] !== undefined);
    for (const lastEventId of ['1', '', 'x.y', id, `${id}x`])
      expect(await api.as('user').get('/api/events', { 'last-event-id': lastEventId })).toMatchObject(
        aProblem(400, 'INVALID_EVENT_ID'),
      );
    expect(await api.stranger.get('/api/events')).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followRun, followTokens } from '../../../src/client/follow-run.ts';
import { createSend, REAL_TIMING } from '../../../src/client/send.ts';
import { streamEvents } from '../../../src/client/stream-events.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import { createRandom } from '../../support/builders/random.ts';
import { AT, aBatch, aDelta, aNewRun, aView, writeTo } from '../../support/builders/store-builders.ts';
import { startTestApi } from '../../support/servers/test-api.ts';
import type { TestApi } from '../../support/servers/test-api.ts';
import type { Connection, Timing } from '../../../src/client/send.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({}, { streaming: { heartbeatMs: 50 } });
});
afterAll(async () => {
  await api.stop();
});

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Short delays, and no limit on silence. */
const BRISK: Timing = {
  ...REAL_TIMING,
  sleep: async (ms, signal) => await REAL_TIMING.sleep(ms === 45_000 ? ms : 1, signal),
};

const ask: Fetch = async (url, init) => await api.request(url, init);

function connectionBy(fetch: Fetch, timing = BRISK): Connection {
  return { send: createSend({ baseUrl: 'http://127.0.0.1', token: api.tokens.user, fetch }, timing), timing };
}

/** Breaks each stream after some bytes. */
function breaking(nextLength: () => number): Fetch {
  return async (url, init) => {
    const response = await ask(url, init);
    if (!response.body || response.headers.get('content-type') !== 'text/event-stream') return response;
    let left = nextLength();
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.byteLength;
        if (left <= 0) controller.error(new Error('cut'));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);

async function aRun(id: string, events: number): Promise<void> {
  await api.store.runs.create(aNewRun({ id, tenantId: 'demo' }));
  if (events > 0) await writeTo(api.store, { id, tenantId: 'demo' }, aBatch(upTo(events)));
}

async function end(id: string, seq: number): Promise<void> {
  const event: RunEvent = { seq, at: AT, step: 1, type: 'run.completed', output: null };
  const view = aView({ status: 'completed', endedAt: AT });
  await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([seq], { events: [event], view }));
}

describe('following a run', () => {
  test('the client’s run stream yields each event once over connections that break anywhere, and then the run', async () => {
    await aRun('cut', 199);
    await end('cut', 200);
    const random = createRandom(11);
    const events = followRun(connectionBy(breaking(() => 30 + Math.floor(random.next() * 2_000))), 'cut');
    const seqs: number[] = [];
    let next = await events.next();
    for (; !next.done; next = await events.next()) seqs.push(next.value.seq);
    expect(seqs).toEqual(upTo(200));
    expect(next.value).toMatchObject({ id: 'cut', status: 'completed' });
  });

  test('the client’s run stream begins after a given event, and waits for later ones', async () => {
    await aRun('live', 3);
    const events = followRun(connectionBy(ask), 'live', { after: 2 });
    expect((await events.next()).value).toMatchObject({ seq: 3 });
    const next = events.next();
    await end('live', 4);
    expect((await next).value).toMatchObject({ seq: 4 });
    expect(await events.next()).toMatchObject({ done: true, value: { status: 'completed' } });
  });

  test('the client’s run stream yields the text of models on request', async () => {
    await aRun('spoken', 1);
    const events = followTokens(connectionBy(ask), 'spoken');
    expect((await events.next()).value).toMatchObject({ seq: 1 });
    const next = events.next();
    const delta = aDelta();
    // A connected stream receives it; the test can't see when it is connected, so it publishes repeatedly.
    const telling = setInterval(() => void api.store.deltas.publish('spoken', [delta]), 20);
    expect((await next).value).toEqual({ type: 'model.delta', ...delta });
    clearInterval(telling);
    await end('spoken', 2);
    const rest: string[] = [];
    for await (const { type } of events) rest.push(type);
    expect(rest.filter((type) => type !== 'model.delta')).toEqual(['run.completed']);
  });

  test('the client’s run stream continues when a stopping process ends its connections early', async () => {
    await aRun('stopping', 3);
    await end('stopping', 4);
    const lengths = [1, 0, 0];
    const stopping: Fetch = async (url, init) => {
      const response = await ask(url, init);
      const length = url.endsWith('/events') ? lengths.shift() : undefined;
      if (length === undefined) return response;
      const frames = (await response.text()).split(/(?<=\n\n)/).filter((frame) => frame.startsWith('id:'));
      return new Response(frames.slice(0, length).join(''), response);
    };
    const seqs: number[] = [];
    for await (const { seq } of followRun(connectionBy(stopping), 'stopping')) seqs.push(seq);
    expect(seqs).toEqual([1, 2, 3, 4]);
    expect(lengths).toEqual([]);
  });

  test('the client’s run stream continues with a run that was reopened during the stream and has ended again', async () => {
    await aRun('reopened', 1);
    await end('reopened', 2);
    const seqs: number[] = [];
    for await (const { seq } of followRun(connectionBy(ask), 'reopened')) {
      seqs.push(seq);
      if (seq !== 2) continue;
      await writeTo(api.store, { id: 'reopened', tenantId: 'demo' }, aBatch([3, 4]));
      await end('reopened', 5);
    }
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
  });

  test('the client’s run stream repeats no event to a caller who has received all, including those after the end', async () => {
    await aRun('edited', 1);
    await end('edited', 2);
    const view = aView({ status: 'completed', endedAt: AT });
    await writeTo(api.store, { id: 'edited', tenantId: 'demo' }, aBatch([3], { view }));
    expect(await followRun(connectionBy(ask), 'edited', { after: 3 }).next()).toMatchObject({
      done: true,
      value: { status: 'completed', lastSeq: 3 },
    });
  });

  test('the client’s run stream opens a new connection when the old one is silent for too long', async () => {
    await aRun('silent', 1);
    await end('silent', 2);
    let streams = 0;
    const mute: Fetch = async (url, init) => {
      if (!url.endsWith('/events')) return await ask(url, init);
      streams += 1;
      return streams > 1
        ? await ask(url, init)
        : new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });
    };
    const impatient: Timing = { ...BRISK, sleep: async (_ms, signal) => await REAL_TIMING.sleep(20, signal) };
    const seqs: number[] = [];
    for await (const { seq } of followRun(connectionBy(mute, impatient), 'silent')) seqs.push(seq);
    expect(seqs).toEqual([1, 2]);
  });

  test('the client’s run stream ends with the reason of its abort signal, and throws refusals', async () => {
    await aRun('stopped', 1);
    const stop = new AbortController();
    const events = followRun(connectionBy(ask), 'stopped', { signal: stop.signal });
    await events.next();
    const next = events.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await expect(followRun(connectionBy(ask), 'none').next()).rejects.toMatchObject({ code: 'UNKNOWN_RUN' });
    await expect(followRun(connectionBy(ask), 'stopped', { after: 9 }).next()).rejects.toMatchObject({
      code: 'INVALID_EVENT_ID',
    });
  });

  test('the client’s run stream refuses the HTML page of a proxy as a stream', async () => {
    const page: Fetch = async () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    await expect(followRun(connectionBy(page), 'any').next()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });
});

test('the client yields the events of all runs once over streams that break, also when resumed later', async () => {
  for (const id of ['E', 'F']) await aRun(id, 0);
  const random = createRandom(7);
  const places: string[] = [];
  const fetch = breaking(() => 2_000 + Math.floor(random.next() * 5_000));
  const events = streamEvents(connectionBy(fetch), { onPlace: (id) => places.push(id) });
  const first = events.next();
  await expect.poll(() => places.length).toBeGreaterThan(0);
  const expected: string[] = [];
  for (const seq of upTo(40))
    for (const id of ['E', 'F']) {
      await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([seq]));
      expected.push(`${id}${seq}`);
    }
  const came: string[] = [];
  for (let next = await first; came.length < 60; next = await events.next())
    if (next.value) came.push(`${next.value.runId}${next.value.seq}`);
  await events.return();
  const later = streamEvents(connectionBy(ask), { after: places.at(-1) });
  for await (const { runId, seq } of later) {
    came.push(`${runId}${seq}`);
    if (came.length === expected.length) break;
  }
  expect(came).toEqual(expected);
});

test('a client stream that breaks before its first event is reopened at its beginning with growing delays', async () => {
  const asked: (string | null)[] = [];
  const pauses: number[] = [];
  const parts = ['retry: 1000\n\n', 'id: place\n\n'];
  const fetch: Fetch = async (_url, { headers }) => {
    asked.push(new Headers(headers).get('last-event-id'));
    const left = asked.length < 4 ? [...parts] : [...parts, 'id: next\nevent: e\ndata: {"runId":"R"}\n\n'];
    const encoder = new TextEncoder();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const part = left.shift();
      if (part === undefined) controller.error(new Error('cut'));
      else controller.enqueue(encoder.encode(part));
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    return await Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  const timing: Timing = {
    ...BRISK,
    random: () => 1,
    async sleep(ms, signal) {
      if (ms < 45_000) pauses.push(ms);
      await BRISK.sleep(ms, signal);
    },
  };
  for await (const { runId } of streamEvents(connectionBy(fetch, timing))) {
    expect(runId).toBe('R');
    break;
  }
  expect(asked).toEqual([null, 'place', 'place', 'place']);
  expect(pauses).toEqual([500, 1_000, 2_000]);
});

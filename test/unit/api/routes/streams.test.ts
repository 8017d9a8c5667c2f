import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { permissionsOf } from '../../../../src/graph/definition/roles.ts';
import type { JournalBatch } from '../../../../src/graph/journal/batch.ts';
import type { RunEvent } from '../../../../src/graph/journal/events.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { openAbort } from '../../../../src/process/listen.ts';
import type { NewRun } from '../../../../src/store/accept-run.ts';
import { createRandom } from '../../../support/builders/random.ts';
import { AT, aBatch, aDelta, aNewRun, aView, writeTo } from '../../../support/builders/store-builders.ts';
import { PATIENTLY } from '../../../support/readers/api-runs.ts';
import { readEventStream, completeFrames } from '../../../support/readers/event-stream.ts';
import type { EventStream } from '../../../support/readers/event-stream.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

type Caller = 'user' | 'approver' | 'admin' | 'otherTenantUser';

const shutdown = openAbort();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ streams: { perTenant: 12, total: 20 } }, { shuttingDown: shutdown.signal });
});
afterAll(async () => {
  await api.stop();
});

let runs = 0;
/** Accepts a run of the tenant `demo` with a number of events. */
async function aRun(events: number, over: Partial<NewRun> = {}): Promise<string> {
  runs += 1;
  const id = `R${runs}`;
  await api.store.runs.create(aNewRun({ id, tenantId: 'demo', ...over }));
  if (events > 0) await write(id, upTo(events));
  return id;
}

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n);

async function write(id: string, seqs: readonly number[], over: Partial<JournalBatch> = {}): Promise<void> {
  await writeTo(api.store, { id, tenantId: 'demo' }, aBatch(seqs, over));
}

/** Writes the event that ends a run. */
async function end(id: string, seq: number): Promise<void> {
  const event: RunEvent = { seq, at: AT, step: 1, type: 'run.completed', output: { done: true } };
  await write(id, [seq], { events: [event], view: aView({ status: 'completed', endedAt: AT }) });
}

/** An ended run with a hidden channel whose value is in an event. */
async function anEndedRunWithSecret(): Promise<string> {
  const id = await aRun(0, { redaction: { ...NOTHING_REDACTED, channels: ['secret'] } });
  const values = { secret: 'pin 1234' };
  const told: RunEvent = { seq: 1, at: AT, step: 0, type: 'state.updated', values, by: 'u' };
  await write(id, [1], { events: [told] });
  await end(id, 2);
  return id;
}

async function open(path: string, headers: Record<string, string> = {}, caller: Caller = 'user'): Promise<EventStream> {
  const response = await api.request(path, {
    headers: { authorization: `Bearer ${api.tokens[caller]}`, ...headers },
  });
  expect(response.status).toBe(200);
  const stream = readEventStream(response);
  onTestFinished(() => stream.close());
  return stream;
}

const eventsOf = (id: string): string => `/api/runs/${id}/events`;
const seqsOf = (events: readonly Json[]) => events.map((event) => at(event, '/seq'));

async function historyOf(id: string, caller: Caller = 'user'): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.as(caller).get(`/api/runs/${id}/history?limit=200${cursor}`);
    items.push(...listAt(body, '/items'));
    const next = at(body, '/nextCursor');
    if (typeof next !== 'string') return items;
    cursor = `&cursor=${next}`;
  }
}

describe('the stream of a run', () => {
  test('the event stream of a run has its headers, and first the retry delay', async () => {
    const id = await aRun(1);
    const response = await api.request(eventsOf(id), { headers: { authorization: `Bearer ${api.tokens.user}` } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const stream = readEventStream(response);
    expect(await stream.next()).toEqual({ retry: '1000' });
    expect(await stream.next()).toEqual({
      id: '1',
      event: 'step.started',
      data: JSON.stringify(aBatch([1]).events[0]),
    });
    await stream.close();
  });

  test('the event stream of a run contains stored and then new events, in order despite late batches, and ends after the end', async () => {
    const id = await aRun(2);
    const stream = await open(eventsOf(id));
    expect(at(await stream.nextEvent(), '/seq')).toBe(1);
    expect(at(await stream.nextEvent(), '/seq')).toBe(2);
    await write(id, [4]);
    await write(id, [3]);
    await end(id, 5);
    expect(seqsOf(await stream.rest())).toEqual([3, 4, 5]);
  });

  test('the event stream of a run continues after an end if the run was reopened', async () => {
    const id = await aRun(1);
    await end(id, 2);
    expect(seqsOf(await (await open(eventsOf(id))).rest())).toEqual([1, 2]);
    const retried: RunEvent = { seq: 3, at: AT, step: 1, type: 'run.retried', by: 'ann' };
    await write(id, [3], { events: [retried] });
    const stream = await open(eventsOf(id));
    await stream.nextEvent();
    await stream.nextEvent();
    expect(at(await stream.nextEvent(), '/type')).toBe('run.retried');
    await end(id, 4);
    expect(seqsOf(await stream.rest())).toEqual([4]);
  });

  test('the event stream of a run waits for missing events although the run has ended', async () => {
    const id = await aRun(1);
    await end(id, 3);
    const stream = await open(eventsOf(id));
    await stream.nextEvent();
    await write(id, [2]);
    expect(seqsOf(await stream.rest())).toEqual([2, 3]);
  });

  test('the event stream is empty for a reader that has all events of an ended run', async () => {
    const id = await aRun(1);
    await end(id, 2);
    expect(await (await open(eventsOf(id), { 'last-event-id': '2' })).rest()).toEqual([]);
  });

  test('an event stream that is interrupted 200 times contains the events of the history, each once', async () => {
    const id = await aRun(0);
    const random = createRandom(17);
    const came: Json[] = [];
    let written = 0;
    let last = 0;
    for (let cut = 0; cut < 200; cut += 1) {
      const more = 1 + Math.floor(random.next() * 9);
      await write(id, upTo(written + more, written + 1));
      written += more;
      const response = await api.request(eventsOf(id), {
        headers: { authorization: `Bearer ${api.tokens.user}`, ...(last > 0 && { 'last-event-id': String(last) }) },
      });
      const text = await readPart(response, 1 + Math.floor(random.next() * 1_500));
      for (const { id: seq, data } of completeFrames(text)) {
        if (data === undefined) continue;
        last = Number(seq);
        came.push(JSON.parse(data));
      }
    }
    await end(id, written + 1);
    came.push(...(await (await open(eventsOf(id), { 'last-event-id': String(last) })).rest()));
    expect(came).toEqual(await historyOf(id));
  }, 120_000);

  test('an event stream does not delay other streams of the run, however many there are', async () => {
    const id = await aRun(3);
    const streams = await Promise.all(upTo(10).map(() => open(eventsOf(id))));
    await end(id, 4);
    expect(await Promise.all(streams.map((stream) => stream.rest()))).toEqual(
      streams.map(() => [...aBatch([1, 2, 3]).events, expect.objectContaining({ seq: 4 })]),
    );
  });
});

/** Reads a number of characters, or all that arrives at once, and disconnects. */
async function readPart(response: Response, length: number): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < length) {
    const chunk = await Promise.race([reader?.read(), new Promise<null>((resolve) => setTimeout(resolve, 10, null))]);
    if (!chunk?.value) break;
    text += chunk.value;
  }
  await reader?.cancel();
  return text.slice(0, length);
}

describe('a reader of a stream', () => {
  test.each(['x', '-1', '1.5', '01', '', '4', '99999999999', '1e0'])(
    'a stream reader with the Last-Event-ID %j is refused',
    async (lastEventId) => {
      const id = await aRun(3);
      const answer = await api.as('user').get(eventsOf(id), { 'last-event-id': lastEventId });
      expect(answer).toMatchObject(aProblem(400, 'INVALID_EVENT_ID'));
    },
  );

  test('a stream reader requires a token, and sees runs of its own tenant only', async () => {
    const id = await aRun(1);
    expect(await api.stranger.get(eventsOf(id))).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
    const missing = await api.as('otherTenantUser').get(eventsOf('none'));
    const foreign = await api.as('otherTenantUser').get(eventsOf(id));
    expect(foreign).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    expect(JSON.stringify(foreign.body).replaceAll(id, 'none')).toBe(JSON.stringify(missing.body));
    expect(at((await (await open(eventsOf(id), {}, 'approver')).nextEvent()) ?? null, '/seq')).toBe(1);
  });

  test('the event stream of a run contains the events of the run’s history, redacted for its reader', async () => {
    const id = await anEndedRunWithSecret();
    for (const caller of ['user', 'admin'] as const)
      expect(await (await open(eventsOf(id), {}, caller)).rest()).toEqual(await historyOf(id, caller));
    expect(JSON.stringify(await (await open(eventsOf(id))).rest())).not.toContain('1234');
  });

  test('a HEAD request for an event stream returns the headers and opens no stream', async () => {
    const id = await aRun(1);
    for (let n = 0; n < 30; n += 1) {
      const answer = await api.as('user').send(eventsOf(id), { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    expect(await api.as('user').send(eventsOf(id), { method: 'OPTIONS' })).toMatchObject({ status: 405 });
  });

  test('a stream reader beyond the limit of a tenant’s streams is refused, until one stream ends', async () => {
    const id = await aRun(1);
    const streams = await Promise.all(upTo(12).map(() => open(eventsOf(id))));
    const refused = await api.as('user').get(eventsOf(id));
    expect(refused).toMatchObject(aProblem(429, 'TOO_MANY_REQUESTS', { 'retry-after': /^\d+$/ }));
    await streams[0]?.close();
    await vi.waitFor(async () => await (await open(eventsOf(id))).close(), PATIENTLY);
  });
});

describe('a stream ticket', () => {
  const ticketFor = async (id: string, body: Json = {}, caller: Caller = 'user'): Promise<string> => {
    const answer = await api.as(caller).post(`/api/runs/${id}/stream-ticket`, body);
    expect(answer.status).toBe(201);
    const lifeMs = Date.parse(textAt(answer.body, '/expiresAt')) - Date.now();
    expect(lifeMs).toBeGreaterThan(50_000);
    expect(lifeMs).toBeLessThanOrEqual(61_000);
    return textAt(answer.body, '/ticket');
  };
  const use = async (id: string, ticket: string, init: RequestInit = {}): Promise<Response> =>
    await api.request(`${eventsOf(id)}?ticket=${ticket}`, init);

  test('a stream ticket opens one stream of its run without a token, once', async () => {
    const id = await aRun(2);
    await end(id, 3);
    const other = await aRun(1);
    const ticket = await ticketFor(id);
    expect((await use(other, ticket)).status).toBe(401);
    expect((await use(id, ticket, { method: 'HEAD' })).status).toBe(401);
    const answers = await Promise.all([use(id, ticket), use(id, ticket)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const served = answers.find(({ status }) => status === 200);
    expect(seqsOf(await readEventStream(served ?? Response.error()).rest())).toEqual([1, 2, 3]);
  });

  test('a stream ticket is not consumed by a stream that does not begin', async () => {
    const id = await aRun(1);
    const ticket = await ticketFor(id);
    const open = await Promise.all(Array.from({ length: 12 }, async () => await use(id, await ticketFor(id))));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = [
      await use(id, ticket),
      await api.request(`${eventsOf(id)}?ticket=${ticket}&stream=nothing`),
      await use(id, ticket, { headers: { 'last-event-id': '7' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([429, 422, 400]);
    await Promise.all(open.map(async ({ body }) => await body?.cancel()));
    await end(id, 2);
    let answer = Response.error();
    await expect.poll(async () => (answer = await use(id, ticket)).status, PATIENTLY).toBe(200);
    expect(seqsOf(await readEventStream(answer).rest())).toEqual([1, 2]);
  });

  test('an event stream resumes after the event of its ticket, and Last-Event-ID takes precedence', async () => {
    const id = await aRun(3);
    await end(id, 4);
    expect(seqsOf(await readEventStream(await use(id, await ticketFor(id, { after: 2 }))).rest())).toEqual([3, 4]);
    const headers = { 'last-event-id': '3' };
    const ticket = await ticketFor(id, { after: 2 });
    expect(seqsOf(await readEventStream(await use(id, ticket, { headers })).rest())).toEqual([4]);
    expect(await api.as('user').post(`/api/runs/${id}/stream-ticket`, { after: 5 })).toMatchObject(
      aProblem(400, 'INVALID_EVENT_ID'),
    );
  });

  test('a stream ticket has the permissions of its user', async () => {
    const id = await anEndedRunWithSecret();
    for (const caller of ['user', 'admin'] as const)
      expect(await readEventStream(await use(id, await ticketFor(id, {}, caller))).rest()).toEqual(
        await historyOf(id, caller),
      );
  });

  test("a stream ticket is issued for runs of the caller's tenant, with the permission to read runs", async () => {
    const id = await aRun(1);
    expect(await api.as('otherTenantUser').post(`/api/runs/${id}/stream-ticket`, {})).toMatchObject(
      aProblem(404, 'UNKNOWN_RUN'),
    );
    expect(await api.stranger.post(`/api/runs/${id}/stream-ticket`, {})).toMatchObject({ status: 401 });
  });

  test('a stream ticket is refused to a tenant with a thousand unused ones', async () => {
    const id = await aRun(1);
    const terms = { tenantId: 'demo', runId: id, sub: 'u', seesPayloads: false, after: 0, tokenExpiresAtMs: null };
    let issued = await api.store.streamTickets.issue(terms);
    while (issued) issued = await api.store.streamTickets.issue(terms);
    expect(await api.as('user').post(`/api/runs/${id}/stream-ticket`, {})).toMatchObject(
      aProblem(429, 'TOO_MANY_REQUESTS', { 'retry-after': /^\d+$/ }),
    );
  });
});

describe('the tokens of models in a stream', () => {
  test('model tokens are sent between the events of a stream, without an id, if they are requested', async () => {
    const id = await aRun(1);
    const [withTokens, without] = [await open(`${eventsOf(id)}?stream=tokens`), await open(eventsOf(id))];
    await Promise.all([withTokens.nextEvent(), without.nextEvent()]);
    const deltas = [aDelta({ text: 'Dear ' }), aDelta({ text: 'Ann', index: 1 })];
    await api.store.deltas.publish(id, deltas);
    const frames = [await withTokens.next(), await withTokens.next()];
    expect(frames).toEqual(deltas.map((delta) => ({ event: 'model.delta', data: JSON.stringify(delta) })));
    await end(id, 2);
    expect(seqsOf(await withTokens.rest())).toEqual([2]);
    expect(seqsOf(await without.rest())).toEqual([2]);
  });

  test('model tokens are not streamed if the results of their node are hidden', async () => {
    const nodes = { [aDelta().node]: { result: true as const } };
    const id = await aRun(1, { redaction: { ...NOTHING_REDACTED, nodes } });
    const streams = await Promise.all(
      (['user', 'admin'] as const).map(async (caller) => await open(`${eventsOf(id)}?stream=tokens`, {}, caller)),
    );
    await Promise.all(streams.map(async (stream) => await stream.nextEvent()));
    await api.store.deltas.publish(id, [aDelta({ text: 'pin 1234' })]);
    await streams[1]?.next();
    await end(id, 2);
    expect((await streams[0]?.next())?.['event']).toBe('run.completed');
  });

  test('model tokens are not streamed if their redaction becomes known after the stream began', async () => {
    const id = await aRun(0);
    const [hidden, whole] = [
      await open(`${eventsOf(id)}?stream=tokens`),
      await open(`${eventsOf(id)}?stream=tokens`, {}, 'admin'),
    ];
    let hasCome = false;
    const first = hidden.nextEvent().finally(() => (hasCome = true));
    const told = async (): Promise<boolean> => {
      await api.store.deltas.publish(id, [aDelta({ text: 'open' })]);
      return hasCome;
    };
    await expect.poll(told).toBe(true);
    expect(await first).toMatchObject({ text: 'open' });
    const nodes = { [aDelta().node]: { result: true as const } };
    await api.store.runs.setRedaction(id, { ...NOTHING_REDACTED, nodes });
    await api.store.deltas.publish(id, [aDelta({ text: 'pin 1234' })]);
    for (let told = await whole.nextEvent(); at(told, '/text') !== 'pin 1234';) told = await whole.nextEvent();
    await end(id, 1);
    expect(JSON.stringify(await hidden.rest())).not.toContain('1234');
  });
});

test('an event stream ends when the token of its reader expires', async () => {
  const reader = { tenantId: 'demo', sub: 'u', roles: [], permissions: permissionsOf(['user']) };
  const expiring = await startTestApi({}, { authenticate: async () => ({ ...reader, expiresAtMs: Date.now() + 100 }) });
  onTestFinished(() => expiring.stop());
  await expiring.store.runs.create(aNewRun({ id: 'R', tenantId: 'demo' }));
  await writeTo(expiring.store, { id: 'R', tenantId: 'demo' }, aBatch([1]));
  expect(seqsOf(await readEventStream(await expiring.request(eventsOf('R'))).rest())).toEqual([1]);
});

describe('streams at the end of the process', () => {
  test('event streams end at once when the process shuts down', async () => {
    const id = await aRun(1);
    const stream = await open(eventsOf(id));
    await stream.nextEvent();
    shutdown.abort();
    expect(await stream.nextEvent()).toBeNull();
  });
});

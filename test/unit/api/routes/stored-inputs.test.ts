import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/index.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { SIGN } from '../../../support/builders/signed-messages.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* Inputs that hooks and schedules store for future runs. */

const SECRET = 'a secret of both';
const PIN = 'CANARY-0815';
const HIDDEN = '[redacted]';

let api: TestApi;
beforeAll(async () => {
  const { schedules, ...engine } = anAbsentEngine();
  const put = async (): Promise<void> => await Promise.resolve();
  api = await startTestApi({}, { engine: { ...engine, schedules: { ...schedules, put, nextTimes: async () => [] } } });
});
afterAll(async () => await api.stop());

/** Publishes a graph with two channels, one of which is a PIN. */
const publish = async (name: string, pin: { readonly redact?: true }, over: Partial<GraphDefinition> = {}) => {
  const channels = { pin, order: {}, log: {} };
  expect(await api.as('user').post('/api/graphs', aDefinition({ name, channels, ...over }))).toMatchObject({
    status: 201,
  });
};
const putHook = async (graph: string, input: object = { pin: PIN, order: 'A-1' }) =>
  await api.as('admin').send(`/api/hooks/${graph}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scheme: 'github', secret: SECRET, start: { graph, input } }),
  });
const addSchedule = async (graph: string) => {
  const input = { pin: PIN, order: 'A-1' };
  const { body } = await api.as('admin').post('/api/schedules', { graph, input, every: '1h' });
  return textAt(body, '/id');
};

const patch = async (schedule: string, change: object) =>
  await api.as('user').send(`/api/schedules/${schedule}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });

/** What a caller reads of the inputs of a graph's hook and schedule, and in their lists. */
const read = async (caller: 'user' | 'admin', { hook, schedule }: { hook: string; schedule: string }) => {
  const get = async (path: string) => (await api.as(caller).get(path)).body;
  const listed = async (path: string, id: string) =>
    listAt(await get(path), '/items').filter((one) => textAt(one, '/id') === id);
  const hooks = [await get(`/api/hooks/${hook}`), ...(await listed('/api/hooks', hook))];
  const schedules = [await get(`/api/schedules/${schedule}`), ...(await listed('/api/schedules', schedule))];
  return [...hooks.map((one) => at(one, '/start/input')), ...schedules.map((one) => at(one, '/input'))];
};
const four = (pin: string, order = 'A-1') => Array.from({ length: 4 }, () => ({ pin, order }));

test('redacted channels of a stored input are visible to callers with payload:read only', async () => {
  await publish('kept', { redact: true });
  expect((await putHook('kept')).body).toMatchObject({ start: { input: { pin: PIN } } });
  const both = { hook: 'kept', schedule: await addSchedule('kept') };
  expect(await read('user', both)).toEqual(four(HIDDEN));
  expect(await read('admin', both)).toEqual(four(PIN));
});

test('a graph version that redacts a channel also hides inputs that were stored before', async () => {
  await publish('later', {});
  await putHook('later');
  const both = { hook: 'later', schedule: await addSchedule('later') };
  expect(await read('user', both)).toEqual(four(PIN));
  await publish('later', { redact: true });
  expect(await read('user', both)).toEqual(four(HIDDEN));
});

test('a stored input channel that a later graph version redacts stays hidden under another graph', async () => {
  await publish('moved', {});
  const schedule = await addSchedule('moved');
  await publish('moved', { redact: true });
  await publish('open', {});
  const moved = await patch(schedule, { graph: 'open' });
  expect(moved).toMatchObject({ status: 200, body: { graph: 'open', input: { pin: HIDDEN } } });
});

test('a stored input channel that a later graph version redacts is not overwritten by its placeholder', async () => {
  await publish('sent-back', {});
  const schedule = await addSchedule('sent-back');
  await publish('sent-back', { redact: true });
  const { body } = await api.as('user').get(`/api/schedules/${schedule}`);
  const patched = await patch(schedule, { input: at(body, '/input') });
  expect(patched).toMatchObject({ status: 422 });
  expect(issuePathsOf(patched)).toEqual(['/input/pin']);
});

test('a graph version that no longer redacts a channel does not reveal inputs that were stored before, neither in a schedule nor in a run', async () => {
  await publish('earlier', { redact: true });
  await putHook('earlier');
  const both = { hook: 'earlier', schedule: await addSchedule('earlier') };
  await publish('earlier', {});
  expect(await read('user', both)).toEqual(four(HIDDEN));
  const { headers, body } = SIGN.github('{}', { secret: SECRET, id: 'one' });
  const answer = await api.stranger.send('/api/hooks/demo.earlier', { method: 'POST', headers, body });
  const run = await api.as('user').get(`/api/runs/${textAt(answer.body, '/runId')}`);
  expect(run.body).toMatchObject({ input: { pin: HIDDEN, order: 'A-1' } });
});

test('a graph alias hides in stored inputs what either of its versions redacts', async () => {
  await publish('canary', {});
  await publish('canary', { redact: true });
  const alias = { version: 1, canary: { version: 2, share: 0.01 } };
  const headers = { 'content-type': 'application/json' };
  await api
    .as('user')
    .send('/api/graphs/canary/aliases/stable', { method: 'PUT', headers, body: JSON.stringify(alias) });
  const body = {
    scheme: 'github',
    secret: SECRET,
    start: { graph: 'canary@stable', input: { pin: PIN, order: 'A-1' } },
  };
  await api.as('admin').send('/api/hooks/by-alias', { method: 'PUT', headers, body: JSON.stringify(body) });
  const schedule = await addSchedule('canary@stable');
  expect(await read('user', { hook: 'by-alias', schedule })).toEqual(four(HIDDEN));
});

test('the whole stored input is hidden if no graph defines its redaction', async () => {
  await publish('gone', {});
  await putHook('gone');
  const both = { hook: 'gone', schedule: await addSchedule('gone') };
  await api.as('user').send('/api/graphs/gone/versions/1', { method: 'DELETE' });
  expect(await read('user', both)).toEqual(four(HIDDEN, HIDDEN));
  expect(await read('admin', both)).toEqual(four(PIN));
});

test('a hook refuses redacted placeholders in its stored input', async () => {
  await publish('returned', { redact: true });
  const answer = await putHook('returned', { pin: HIDDEN, order: '{{ body.order }}' });
  expect(answer).toMatchObject(aProblem(422, 'INVALID_VALUES'));
  expect(issuePathsOf(answer)).toEqual(['/start/input/pin']);
});

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { forgetExpired } from '../../../../src/api/sweeper/sweeper.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const HOUR_MS = 3_600_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.as('user').post('/api/graphs', aDefinition({ name: 'mine' }));
});
afterAll(async () => await api.stop());
afterEach(() => void vi.useRealTimers());

const start = async (key: string, metadata = {}) =>
  await api.as('user').post('/api/runs', { graph: 'mine', metadata }, { 'idempotency-key': key });

/** Does the chore as after some time. */
async function forgetAfter(ms: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + ms);
  await forgetExpired(api);
  vi.useRealTimers();
}

test.each([0, 24 * HOUR_MS])('an answer is given again to a repeated request after %i ms', async (ms) => {
  const key = `kept for ${ms}`;
  const first = await start(key);
  await forgetAfter(ms);
  const again = await start(key);
  expect(again).toMatchObject({ status: 201, body: { id: textAt(first.body, '/id') } });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await start(key, { other: true })).toMatchObject(aProblem(422, 'IDEMPOTENCY_KEY_REUSED'));
});

test('after 25 hours an answer is forgotten, and its key is free for another request', async () => {
  const first = await start('old');
  await forgetAfter(25 * HOUR_MS + 1);
  const other = await start('old', { other: true });
  expect(other).toMatchObject({ status: 201, body: { metadata: { other: true } } });
  expect(other.headers.get('idempotent-replayed')).toBeNull();
  expect(textAt(other.body, '/id')).not.toBe(textAt(first.body, '/id'));
});

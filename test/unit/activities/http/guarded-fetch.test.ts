import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../../src/activities/http/guarded-fetch.ts';
import { readBody } from '../../../../src/activities/http/read-body.ts';
import { silence } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';
import { guardSuite } from '../../../support/suites/guard-suite.ts';

const server = await useLoopbackServer();

guardSuite(async (allow, { url, redirectedBy, signal = AbortSignal.timeout(5_000) }) => {
  const sentBy = redirectedBy === undefined ? undefined : new URL(redirectedBy);
  return await createGuardedFetch(allow)(new URL(url), { method: 'GET', signal }, sentBy);
}, server);

describe('time', () => {
  const hurried = (): ReturnType<typeof createGuardedFetch> =>
    createGuardedFetch([server.address], { connectMs: 10_000, totalMs: 100 });

  test('is limited for an answer that does not come', async () => {
    const { answer: wait, left } = silence();
    server.answers(wait);
    await expect(hurried()(new URL(server.url), { method: 'GET' })).rejects.toMatchObject({ name: 'TimeoutError' });
    await left;
  });

  test('is limited for an answer that does not end', async () => {
    const { answer: wait, left } = silence();
    server.answers((response) => {
      wait(response);
      response.writeHead(200).write('begun');
    });
    const read = async (): Promise<string> => await readBody(await hurried()(new URL(server.url), { method: 'GET' }));
    await expect(read()).rejects.toMatchObject({ name: 'TimeoutError' });
    await left;
  });

  test('is the caller’s to limit where there is a signal', async () => {
    const { answer: wait } = silence();
    server.answers((response) => {
      wait(response);
      setTimeout(() => response.end('late'), 300);
    });
    const response = await hurried()(new URL(server.url), { method: 'GET', signal: AbortSignal.timeout(10_000) });
    expect(await readBody(response)).toBe('late');
  });
});

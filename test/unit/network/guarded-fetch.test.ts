import { describe, expect, test, vi } from 'vitest';
import { createGuardedFetch } from '../../../src/network/guarded-request.ts';
import { readBody } from '../../../src/network/read-body.ts';
import { silence } from '../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../support/doubles/use-loopback-server.ts';
import { guardSuite } from '../../support/suites/guard-suite.ts';

const server = await useLoopbackServer();

guardSuite(async (allow, { url, redirectedBy, signal = AbortSignal.timeout(5_000) }) => {
  const sentBy = redirectedBy === undefined ? undefined : new URL(redirectedBy);
  return await createGuardedFetch(allow)(new URL(url), { method: 'GET', signal }, sentBy);
}, server);

describe('the time limit of a request', () => {
  const LIMITS = { connectMs: 10_000, totalMs: 100 };
  const get = { method: 'GET' } as const;
  const limited = createGuardedFetch([server.address], LIMITS);

  /** Sends a request whose time is over when the test says so. */
  function sendLimited() {
    const time = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(time.signal);
    const request = limited(new URL(server.url), get);
    expect(timeout.mock.calls).toEqual([[LIMITS.totalMs]]);
    timeout.mockRestore();
    return { request, endTime: () => time.abort(new DOMException('The time is over', 'TimeoutError')) };
  }

  test('the time limit of a request ends a request without an answer', async () => {
    const { answer: wait, asked, left } = silence();
    server.answers(wait);
    const { request, endTime } = sendLimited();
    await asked;
    endTime();
    await expect(request).rejects.toMatchObject({ name: 'TimeoutError' });
    await left;
  });

  test('the time limit of a request ends a request with an endless answer', async () => {
    const { answer: wait, left } = silence();
    server.answers((response) => {
      wait(response);
      response.writeHead(200).write('begun');
    });
    const { request, endTime } = sendLimited();
    const body = readBody(await request);
    endTime();
    await expect(body).rejects.toMatchObject({ name: 'TimeoutError' });
    await left;
  });

  test('the time limit of a request is replaced by the caller’s abort signal', async () => {
    const { answer: wait } = silence();
    server.answers((response) => {
      wait(response);
      setTimeout(() => response.end('late'), 300);
    });
    const response = await limited(new URL(server.url), { ...get, signal: AbortSignal.timeout(10_000) });
    expect(await readBody(response)).toBe('late');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, breakOff, hangUp } from '../../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../../support/doubles/loopback-server.ts';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../../../../support/doubles/mcp-tools.ts';
import { startOddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import type { OddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';

let server: OddMcpAddress;
let tools: TestedTools;

beforeEach(async () => {
  server = await startOddMcpAddress();
  const { url, address } = server;
  tools = await openTestedTools(
    { odd: { url, headers: { Authorization: { secret: 'KEY' } } } },
    { allow: [address], secrets: { KEY: 'Bearer do-not-tell' } },
  );
});
afterEach(async () => {
  await tools.close();
  await server.stop();
});

const events =
  (text: string, end: (response: Parameters<Answer>[0]) => void): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => setTimeout(() => end(response), 50));
  };

describe('tools at an address', () => {
  test.each(['json', 'events', 'numbered events'] as const)(
    'tools of an MCP server over HTTP answer as %s',
    async (form) => {
      server.answersAs = form;
      expect(await tools.call('odd.echo', 'hello')).toBe('hello');
      expect(await tools.call('odd.typed', 3)).toEqual({ n: 3 });
      await expect(tools.call('odd.fail', 'no')).rejects.toThrow('It answered with an error: no');
      await expect(tools.call('odd.refuse', -32601)).rejects.toMatchObject({ retryable: false, done: 'no' });
    },
  );

  test('tools of an MCP server over HTTP are called with the configured headers', async () => {
    await tools.call('odd.echo', 'hello');
    const headers = server.requests.map((request) => request.headers.authorization);
    expect(new Set(headers)).toEqual(new Set(['Bearer do-not-tell']));
  });

  test.each<[string, Answer, object]>([
    ['a connection that breaks', hangUp, { retryable: true, done: 'perhaps' }],
    ['an answer that breaks', breakOff, { retryable: true, done: 'perhaps' }],
    [
      'events that break',
      events(': hello\n\n', (response) => response.destroy()),
      { retryable: true, done: 'perhaps' },
    ],
    [
      'events that end early',
      events(': hello\n\n', (response) => response.end()),
      { retryable: true, done: 'perhaps' },
    ],
    ['no answer at all', answer(202), { retryable: true, done: 'perhaps' }],
    [
      'an answer to another request',
      answer(200, { 'content-type': 'text/html' }),
      { retryable: false, done: 'perhaps' },
    ],
    ['a redirect', answer(307, { location: '/other' }), { retryable: false, done: 'perhaps' }],
    ['a refusal', answer(403, {}, 'not do-not-tell'), { retryable: false, done: 'no' }],
    ['too many requests', answer(429, { 'retry-after': '7' }), { retryable: true, done: 'no', retryAfterMs: 7_000 }],
    ['an internal server error', answer(502, {}, 'Bad gateway'), { retryable: true, done: 'perhaps' }],
  ])('a tool call to an MCP server over HTTP fails for %s', async (_what, what, classified) => {
    server.instead('echo', what);
    const failure = tools.call('odd.echo', 'x');
    await expect(failure).rejects.toMatchObject({ code: 'TOOL_FAILED', ...classified });
    await expect(failure).rejects.not.toThrow('do-not-tell');
    expect(server.requests.map(({ target }) => target)).not.toContain('/other');
    expect(await tools.call('odd.echo', 'well again')).toBe('well again');
  });

  test('a tool call to an MCP server over HTTP fails when its answer is incomplete', { timeout: 20_000 }, async () => {
    server.instead(
      'echo',
      events('id: 7\ndata:\n\n', (response) => response.destroy()),
    );
    await expect(tools.call('odd.echo', 'x')).rejects.toMatchObject({ retryable: true, done: 'perhaps' });
    const resumed = server.requests.filter(({ headers }) => headers['last-event-id'] === '7');
    expect(resumed.length).toBeGreaterThan(0);
  });

  test.each<[string, Answer]>([
    ['404', answer(404, {}, 'Session not found')],
    ['400', answer(400, {}, 'Bad Request: No valid session ID provided')],
  ])(
    'an MCP client begins a new session when the server reports by %s that the old one has expired',
    async (_status, forgotten) => {
      server.instead('echo', forgotten);
      await expect(tools.call('odd.echo', 'x')).rejects.toMatchObject({ retryable: true, done: 'no' });
      expect(await tools.call('odd.echo', 'again')).toBe('again');
      const greetings = server.requests.filter(({ body }) => body.includes('"initialize"'));
      expect(greetings).toHaveLength(2);
    },
  );

  test('an MCP server over HTTP receives the cancellation of a call', async () => {
    const controller = new AbortController();
    const call = tools.call('odd.slow', null, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(call).rejects.toThrow('The call was canceled');
    await expect.poll(() => server.requests.some(({ body }) => body.includes('notifications/cancelled'))).toBe(true);
  });

  test('an MCP client ends its session when it is closed', async () => {
    await tools.close();
    const farewell = server.requests.find(({ method }) => method === 'DELETE');
    expect(farewell?.headers['mcp-session-id']).toBe('s1');
  });

  test('a call to an unavailable MCP server was not executed, and the error states when to retry', async () => {
    const { address, url } = server;
    await tools.close();
    await server.stop();
    await expect(openTestedTools({ odd: { url } }, { allow: [address] })).rejects.toThrow(
      'odd: The connection failed: ECONNREFUSED',
    );
  });

  test('an MCP server at a private address is not called', async () => {
    const before = server.requests.length;
    await expect(openTestedTools({ odd: { url: server.url } })).rejects.toThrow('The URL is blocked');
    expect(server.requests).toHaveLength(before);
  });
});

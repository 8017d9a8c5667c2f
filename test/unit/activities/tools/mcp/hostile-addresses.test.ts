import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silence } from '../../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../../support/doubles/loopback-server.ts';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../../../../support/doubles/mcp-tools.ts';
import { startOddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import type { OddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import { readMcpMessage } from '../../../../support/doubles/odd-mcp-server.ts';

let server: OddMcpAddress;
let tools: TestedTools;

beforeEach(async () => {
  server = await startOddMcpAddress();
  tools = await openTestedTools({ odd: { url: server.url } }, { allow: [server.address] });
});
afterEach(async () => {
  await tools.close();
  await server.stop();
});

/** Begins a stream of events that the server keeps open. */
const begin = (response: ServerResponse, text = ': hello\n\n'): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(text);
  return response;
};

/** A stream of events that ends at once, and is requested again at once. */
const brief: Answer = (response) => begin(response, 'retry: 0\nid: 7\ndata:\n\n').end();

/** An event with the answer to the latest call. */
const said = (text: string): string => {
  const call = server.requests.findLast(({ body }) => body.includes('"tools/call"'));
  const { id } = readMcpMessage(call?.body ?? '');
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\n\n`;
};

const PINGS = Array.from({ length: 1_000 }, (_, id) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`);

const answersSent = (): number =>
  server.requests.filter(({ method, body }) => method === 'POST' && !body.includes('"method"')).length;

const streamsWanted = (): number => server.requests.filter(({ method }) => method === 'GET').length;

/** Returns a count once no request is in progress any more. */
async function settled(count: () => number): Promise<number> {
  const before = count();
  await pause(500);
  return count() === before ? before : await settled(count);
}

describe('no connection is left', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['is not answered', () => undefined],
    ['is answered by endless events', begin],
  ])('no connection to an MCP server is left of a canceled call that %s', async (_what, open) => {
    const { answer: wait, left } = silence();
    const controller = new AbortController();
    server.instead('echo', (response) => {
      wait(response);
      open(response);
      setTimeout(() => controller.abort(), 50);
    });
    await expect(tools.call('odd.echo', 'x', { signal: controller.signal })).rejects.toThrow('The call was canceled');
    await left;
    await expect.poll(() => server.requests.map(({ body }) => body).join()).toContain('notifications/cancelled');
  });

  test('no connection to an MCP server is left of a call whose stream continues after the answer', async () => {
    const { answer: wait, left } = silence();
    server.instead('echo', (response) => {
      wait(response);
      begin(response, said('done'));
    });
    expect(await tools.call('odd.echo', 'x')).toBe('done');
    await left;
  });
});

describe('a server that sends requests', () => {
  test('an MCP server that sends requests gets answers, and the call continues', async () => {
    server.instead('echo', (response) => {
      begin(response, PINGS[0]);
      setTimeout(() => response.end(said('done')), 1_500);
    });
    expect(await tools.call('odd.echo', 'x')).toBe('done');
    await expect.poll(answersSent).toBe(1);
  });

  test('an MCP server that sends requests faster than it reads the answers is disconnected', async () => {
    server.instead('echo', (response) => begin(response, PINGS.join('')));
    await expect(tools.call('odd.echo', 'x')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: true,
      done: 'perhaps',
      message: expect.stringContaining('The server asks more than 16 questions at a time'),
    });
    expect(await tools.call('odd.echo', 'well again')).toBe('well again');
    expect(answersSent()).toBeLessThanOrEqual(16);
    expect(tools.reports).toContain('MCP server "odd": the connection is lost');
  });
});

test('MCP streams that end repeatedly are requested again with delays, and not for a canceled call', async () => {
  server.listened = brief;
  server.instead('echo', brief);
  const controller = new AbortController();
  const call = tools.call('odd.echo', 'x', { signal: controller.signal });
  setTimeout(() => controller.abort(), 1_800);
  await expect(call).rejects.toThrow('The call was canceled');
  const asked = await settled(streamsWanted);
  expect(server.requests.some(({ headers }) => headers['last-event-id'] === '7')).toBe(true);
  expect(asked).toBeLessThanOrEqual(3);
  await pause(2_500);
  expect(streamsWanted()).toBe(asked);
});

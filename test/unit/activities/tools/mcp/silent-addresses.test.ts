import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTimeLimit } from '../../../../../src/activities/calls/time-limit.ts';
import { aPolicy } from '../../../../support/builders/call-builders.ts';
import { answer, silence } from '../../../../support/doubles/loopback-server.ts';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../../../../support/doubles/mcp-tools.ts';
import { startOddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import type { OddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import { anActivity } from '../../../../support/doubles/scripted-tool.ts';

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

const requestsFor = (method: string): number =>
  server.requests.filter(({ body }) => body.includes(`"method":"${method}"`)).length;

describe.each(['initialize', 'tools/list'])('a server that does not respond to %s of a new session', (method) => {
  beforeEach(async () => {
    server.instead('echo', answer(404, {}, 'Session not found'));
    await tools.call('odd.echo', 'x').catch(() => undefined);
    server.instead(method, silence().answer);
  });

  test.each([
    ['time-out', 200, { code: 'TIMEOUT', retryable: true, done: 'no' }],
    ['cancellation', 5_000, { code: 'CANCELED', retryable: false, done: 'no' }],
  ])(
    'a tool of an MCP server that does not answer a new session has not been called at the %s of a call',
    async (_end, timeoutMs, expected) => {
      const activity = anActivity();
      const limit = openTimeLimit(aPolicy({ timeoutMs }), activity.context);
      const { signal, prepare } = limit;
      setTimeout(() => activity.cancel(), 400);
      await expect(limit.bound(tools.call('odd.echo', 'x', { signal, prepare }))).rejects.toMatchObject(expected);
      limit.close();
      expect(requestsFor('tools/call')).toBe(1);
    },
  );

  test('an MCP server that does not answer a new session is disconnected at once', async () => {
    void tools.call('odd.echo', 'x').catch(() => undefined);
    await expect.poll(() => requestsFor(method)).toBe(2);
    await tools.close();
  });
});

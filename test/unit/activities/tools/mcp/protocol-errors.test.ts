import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../../../../support/doubles/mcp-tools.ts';
import { startOddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import type { OddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';

let server: OddMcpAddress;
let tools: TestedTools;

beforeAll(async () => {
  server = await startOddMcpAddress();
  const { url, address } = server;
  const sure = { url, tools: { refuse: { errorMeans: 'not-done' }, nonsense: { errorMeans: 'not-done' } } } as const;
  tools = await openTestedTools({ odd: { url }, sure }, { allow: [address] });
});
afterAll(async () => {
  await tools.close();
  await server.stop();
});

describe('an error of the protocol', () => {
  test.each([
    ['text that is no JSON', -32700],
    ['an invalid request', -32600],
    ['an unknown method', -32601],
    ['a required visit of a page', -32042],
  ])('an MCP protocol error of the kind %s (%d) means that the tool has not started', async (_what, code) => {
    const classified = { code: 'TOOL_FAILED', retryable: false, done: 'no' };
    await expect(tools.call('odd.refuse', code)).rejects.toMatchObject(classified);
    await expect(tools.call('sure.refuse', code)).rejects.toMatchObject(classified);
  });

  test.each([
    ['wrong arguments, or a result that the server refuses to hand out', -32602, false],
    ['an internal error of the server', -32603, true],
    ['a code of the server’s own', 17, false],
  ])(
    'an MCP protocol error of the kind %s (%d) comes from a tool that possibly did its work, unless errorMeans excludes it',
    async (_what, code, retryable) => {
      const classified = { code: 'TOOL_FAILED', retryable };
      await expect(tools.call('odd.refuse', code)).rejects.toMatchObject({ ...classified, done: 'perhaps' });
      await expect(tools.call('sure.refuse', code)).rejects.toMatchObject({ ...classified, done: 'no' });
    },
  );

  test.each([
    ['a connection that was closed', -32000],
    ['a time-out', -32001],
  ])(
    'an MCP protocol error of the kind %s (%d) leaves the outcome unknown, regardless of errorMeans',
    async (_what, code) => {
      const classified = { code: 'TOOL_FAILED', retryable: true, done: 'perhaps' };
      await expect(tools.call('odd.refuse', code)).rejects.toMatchObject(classified);
      await expect(tools.call('sure.refuse', code)).rejects.toMatchObject(classified);
    },
  );
});

test('an answer that violates the MCP protocol leaves the outcome unknown, regardless of errorMeans', async () => {
  const failure = tools.call('sure.nonsense');
  await expect(failure).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false, done: 'perhaps' });
});

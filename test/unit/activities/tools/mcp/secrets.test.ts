import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../../../src/graph/values/json.ts';
import { answer } from '../../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../../support/doubles/loopback-server.ts';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import { startOddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';
import type { OddMcpAddress } from '../../../../support/doubles/odd-mcp-address.ts';

const SECRET = 'zebra-zebra-zebra-zebra';
/** Any part of the secret that would reveal something. */
const PART = /zeb|bra/;
/** Whatever a message begins with, some of these texts have the secret where a limit of 500 or 1000 characters is. */
const LONG_TEXTS = [480, 470, 460, 450, 440, 980, 960, 940].map((length) => `${'x'.repeat(length)} ${SECRET} is wrong`);

const failureOf = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('the secrets of a server at an address', () => {
  let server: OddMcpAddress;
  let close: () => Promise<void> = async () => undefined;
  afterEach(async () => {
    await close();
    await server.stop();
  });

  async function open(
    secrets: Record<string, string> = { KEY: SECRET, PIN: '1234567' },
  ): Promise<(name: string, value: Json) => Promise<unknown>> {
    server = await startOddMcpAddress();
    const { url, address } = server;
    const headers = { authorization: { secret: 'KEY' }, 'x-pin': { secret: 'PIN' } };
    const tools = await openTestedTools({ odd: { url, headers } }, { allow: [address], secrets });
    close = async () => await tools.close();
    return async (name, value) => await tools.call(name, value);
  }

  test('unavailable secrets of an MCP server prevent a call', async () => {
    const secrets: Record<string, string> = { KEY: SECRET, PIN: '1234567' };
    const call = await open(secrets);
    delete secrets['KEY'];
    await expect(call('odd.echo', 'x')).rejects.toMatchObject({
      message: 'odd.echo: No secret KEY',
      done: 'no',
      retryable: true,
    });
  });

  test('secrets of an MCP server that no header can contain prevent a call', async () => {
    const secrets: Record<string, string> = { KEY: SECRET, PIN: '1234567' };
    const call = await open(secrets);
    secrets['KEY'] = `${SECRET}\n${SECRET}`;
    await expect(call('odd.echo', 'x')).rejects.toMatchObject({
      message: expect.stringContaining('odd.echo: The header "authorization" can\'t be sent'),
      done: 'no',
      retryable: false,
    });
  });

  test('secrets of an MCP server are removed from results, except short ones', async () => {
    const call = await open();
    expect(await call('odd.echo', `I was sent ${SECRET} and 1234567`)).toBe('I was sent [secret] and 1234567');
    expect(await call('odd.heard', SECRET)).toMatchObject({
      heard: [{ params: { arguments: { value: '[secret]' } } }],
    });
  });

  test.each(['odd.fail', 'odd.complain'])(
    'secrets of an MCP server are not exposed in part by a long error of %s',
    async (name) => {
      const call = await open();
      for (const text of LONG_TEXTS) expect(await failureOf(call(name, text))).not.toMatch(PART);
    },
  );

  test.each<[string, (text: string) => Answer]>([
    ['a long refusal', (text) => answer(403, {}, text)],
    ['an expired session', (text) => answer(404, {}, text)],
    ['an answer that is no JSON', (text) => answer(200, { 'content-type': 'application/json' }, text.trim())],
  ])('secrets of an MCP server are not exposed in part by %s', async (_what, answerWith) => {
    const call = await open();
    for (const text of [...LONG_TEXTS, `${SECRET} is wrong`]) {
      server.instead('echo', answerWith(text));
      const message = await failureOf(call('odd.echo', 'x'));
      expect(message).not.toBe('no failure');
      expect(message).not.toMatch(PART);
    }
  });
});

describe('the secrets of a program', () => {
  const STARTS: Readonly<Record<string, string>> = {
    'whose output is truncated at the front': 'console.error(process.env.KEY + "x".repeat(490))',
    'whose output repeats them': 'console.error(process.env.KEY.repeat(40_000))',
  };

  test.each(Object.keys(STARTS))(
    'secrets are not exposed in part by an MCP program that does not start, %s',
    async (where) => {
      const program = { command: process.execPath, args: ['-e', STARTS[where] ?? ''], env: { KEY: { secret: 'KEY' } } };
      const message = await failureOf(openTestedTools({ mute: program }, { secrets: { KEY: SECRET } }));
      expect(message).toContain('it said: ');
      expect(message).not.toMatch(PART);
    },
  );
});

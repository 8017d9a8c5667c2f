import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pinOf } from '../../src/activities/tools/mcp/offer-tools.ts';
import { isJsonObject } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aTask, aToolRequest } from '../support/builders/call-builders.ts';
import { ODD_PROGRAM, openTestedTools } from '../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../support/doubles/mcp-tools.ts';
import { createAttempt, failureOf } from '../support/doubles/scripted-tool.ts';
import { listAt } from '../support/readers/json-at.ts';
import { useMemoryStore } from '../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const heardOf = async (tools: TestedTools, method: string): Promise<Json[]> =>
  listAt(toJson(await tools.call('odd.heard')), '/heard').flatMap((message) =>
    isJsonObject(message) && message['method'] === method ? [message['params'] ?? null] : [],
  );

/** Long enough for a busy machine. */
const SOON = { timeout: 30_000 };

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('tools of a local MCP program', () => {
  let tools: TestedTools;
  beforeAll(async () => {
    tools = await openTestedTools(
      {
        odd: {
          ...ODD_PROGRAM,
          env: { PLAIN: 'plain', KEY: { secret: 'ODD_KEY' } },
          tools: {
            ...Object.fromEntries(
              ['echo', 'typed', 'fail', 'refuse', 'parts', 'nothing', 'large', 'nonsense', 'slow', 'flood'].map(
                (name) => [name, {}],
              ),
            ),
            environment: {},
            heard: {},
            die: {},
            pid: {},
            change: { effect: 'keyed' },
          },
        },
        sure: { ...ODD_PROGRAM, tools: { fail: { errorMeans: 'not-done' }, refuse: { errorMeans: 'not-done' } } },
      },
      { secrets: { ODD_KEY: 'do-not-tell' } },
    );
  });
  afterAll(async () => await tools.close());

  test('tools of a local MCP program are listed from all pages', () => {
    expect(tools.names).toContain('odd.echo');
    expect(tools.names).toContain('odd.heard');
  });

  test.each<[string, readonly [string, Json], unknown]>([
    ['texts as text', ['odd.echo', 'hello'], 'hello'],
    ['structured content as it is', ['odd.typed', 3], { n: 3 }],
    [
      'other parts as a list',
      ['odd.parts', null],
      [{ type: 'image', blob: expect.any(String), mediaType: 'image/png' }],
    ],
    ['nothing as null', ['odd.nothing', null], null],
  ])('tools of a local MCP program return %s', async (_what, [name, value], result) => {
    expect(await tools.call(name, value)).toEqual(result);
  });

  const NOT_DONE = { retryable: false, done: 'no' };
  const UNCLEAR = { retryable: false, done: 'perhaps' };

  test.each<[string, readonly [string, Json], object]>([
    ['It answered with an error: no such file', ['odd.fail', ' no such file '], UNCLEAR],
    ['It answered with an error: no such file', ['sure.fail', 'no such file'], NOT_DONE],
    ['MCP error -32601: No', ['odd.refuse', -32601], NOT_DONE],
    ['MCP error -32602: No', ['odd.refuse', -32602], UNCLEAR],
    ['MCP error -32602: No', ['sure.refuse', -32602], NOT_DONE],
    ['MCP error -32603: No', ['odd.refuse', -32603], { retryable: true, done: 'perhaps' }],
    ['MCP error 17: No', ['odd.refuse', 17], UNCLEAR],
    ['the answer is not what the protocol allows', ['odd.nonsense', null], UNCLEAR],
  ])('tools of a local MCP program fail with "%s"', async (message, [name, value], classified) => {
    const failure = tools.call(name, value);
    await expect(failure).rejects.toMatchObject({ code: 'TOOL_FAILED', ...classified });
    await expect(failure).rejects.toThrow(`${name}: ${message}`);
  });

  test.each([
    ['odd.fail', 'The bank has answered nonsense', 'UNKNOWN_OUTCOME'],
    ['sure.fail', 'The bank has answered nonsense', 'TOOL_FAILED'],
    ['odd.refuse', -32602, 'UNKNOWN_OUTCOME'],
    ['sure.refuse', -32602, 'TOOL_FAILED'],
  ])(
    'unsafe tools of a local MCP program that answer with an error fail with a code by their settings: %s with %j gives %s',
    async (name, value, type) => {
      const args = { value };
      const task = aTask({ key: name, request: aToolRequest({ tool: name, args, effect: 'unsafe' }) });
      const attempt = createAttempt(() => store)({ tool: tools.tool(name), calls: [] }, task);
      expect(await failureOf(attempt)).toMatchObject({ type, nonRetryable: true });
    },
  );

  test('tools of a local MCP program fail with a result above the size limit', async () => {
    await expect(tools.call('odd.large', 1_000_001)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      retryable: false,
    });
  });

  test('tools of a local MCP program receive the idempotency key where they deduplicate by it', async () => {
    await tools.call('odd.change', 'Says it again', { key: 'K7' });
    await tools.call('odd.echo', 'x', { key: 'K8' });
    const calls = await heardOf(tools, 'tools/call');
    expect(calls).toContainEqual(expect.objectContaining({ name: 'change', _meta: { idempotencyKey: 'K7' } }));
    expect(calls).toContainEqual({ name: 'echo', arguments: { value: 'x' } });
  });

  test('tools of a local MCP program receive a cancellation when the call is canceled, and only then', async () => {
    const controller = new AbortController();
    await tools.call('odd.echo', 'done', { signal: controller.signal });
    const call = tools.call('odd.slow', null, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(call).rejects.toThrow('The call was canceled');
    expect(await heardOf(tools, 'notifications/cancelled')).toEqual([
      { requestId: expect.any(Number), reason: 'The call was canceled' },
    ]);
  });

  test('tools of a local MCP program are not called when the call is already canceled', async () => {
    await expect(tools.call('odd.echo', 'unwanted', { signal: AbortSignal.abort() })).rejects.toThrow(
      'The call was canceled',
    );
    expect(JSON.stringify(await heardOf(tools, 'tools/call'))).not.toContain('unwanted');
  });

  test('tools of a local MCP program receive the configured environment and secrets, which neither results nor errors expose', async () => {
    expect(await tools.call('odd.environment', 'PLAIN')).toBe('plain');
    expect(await tools.call('odd.environment', 'KEY')).toBe('[secret]');
    expect(await tools.call('odd.environment', 'VITEST')).toBe('unset');
    await expect(tools.call('odd.fail', 'key do-not-tell is wrong')).rejects.toThrow('key [secret] is wrong');
  });

  test('a call of a local MCP program counts as possibly executed when the program dies during the call, and the next call restarts it', async () => {
    const before = await tools.call('odd.pid');
    await expect(tools.call('odd.die')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: true,
      done: 'perhaps',
    });
    expect(await tools.call('odd.echo', 'back')).toBe('back');
    expect(await tools.call('odd.pid')).not.toBe(before);
    expect(tools.reports).toContain('MCP server "odd": the connection is lost');
  });

  test('tools of a local MCP program share one restarted program', async () => {
    const pid = Number(await tools.call('odd.pid'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => tools.reports.length).toBeGreaterThan(1);
    const answers = await Promise.all([1, 2, 3].map(async () => await tools.call('odd.pid')));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).not.toBe(String(pid));
  });

  test.each([
    ['prints', 'odd.large', 10_000_001],
    ['requests', 'odd.flood', 1_000],
  ])(
    'tools of a local MCP program fail when their program %s more at once than allowed, and the next call restarts it',
    async (_, tool, amount) => {
      const before = await tools.call('odd.pid');
      await expect(tools.call(tool, amount)).rejects.toMatchObject({
        code: 'TOOL_FAILED',
        retryable: true,
        done: 'perhaps',
      });
      expect(await tools.call('odd.pid')).not.toBe(before);
    },
  );

  test('tools of a local MCP program are called while their program sends requests of its own', async () => {
    const controller = new AbortController();
    const call = tools.call('odd.flood', 1, { signal: controller.signal });
    await expect.poll(async () => JSON.stringify(await tools.call('odd.heard')), SOON).toContain('"ping 0"');
    controller.abort();
    await expect(call).rejects.toThrow('The call was canceled');
  });
});

const ECHO_PIN = pinOf({
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { value: {} } },
  annotations: { readOnlyHint: true },
});

describe('a program that changes its tools later', () => {
  let tools: TestedTools;
  afterEach(async () => await tools.close());

  test('an MCP program whose tools change is not called for a pinned tool that changed', async () => {
    tools = await openTestedTools({
      odd: { ...ODD_PROGRAM, tools: { echo: { pin: ECHO_PIN }, change: {}, typed: {} } },
    });
    expect(await tools.call('odd.echo', 'fine')).toBe('fine');
    await tools.call('odd.change', 'Says it to everybody');
    await expect(tools.call('odd.echo', 'private')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
      done: 'no',
      message: expect.stringMatching(
        `^odd.echo: It is not what was pinned: the pin is ${ECHO_PIN}, the server's tool has sha256:[0-9a-f]{64} now$`,
      ),
    });
    expect(await tools.call('odd.typed', 1)).toEqual({ n: 1 });
    await tools.call('odd.change', 'Says it again');
    expect(await tools.call('odd.echo', 'fine again')).toBe('fine again');
  });

  test('an MCP program whose tools change is called for a tool that was not pinned, and the change is reported once', async () => {
    tools = await openTestedTools({ odd: ODD_PROGRAM });
    await tools.call('odd.change', 'Says it to everybody');
    expect(await tools.call('odd.echo', 'a')).toBe('a');
    expect(await tools.call('odd.echo', 'b')).toBe('b');
    expect(tools.reports).toEqual([
      expect.stringContaining(`MCP server "odd": odd.echo has changed from ${ECHO_PIN} to`),
    ]);
  });
});

describe('opening and closing', () => {
  test('opening MCP programs reports every problem of every server, and leaves no process running', async () => {
    const pin = `sha256:${'0'.repeat(64)}`;
    await expect(
      openTestedTools({
        odd: { ...ODD_PROGRAM, tools: { eco: {}, echo: { pin } } },
        gone: { command: '/nowhere/server' },
        mute: { command: process.execPath, args: ['-e', 'console.error("no key here"); process.exit(1)'] },
        locked: { ...ODD_PROGRAM, env: { KEY: { secret: 'NOWHERE' } } },
      }),
    ).rejects.toThrow(
      [
        "The MCP servers of the configuration can't be used so:",
        '  odd: it has no tool "eco". Did you mean "echo"?',
        `  odd: "echo" is not what was pinned: the pin is ${pin}, the server's tool has ${ECHO_PIN}`,
        "  gone: The server can't be reached: spawn /nowhere/server ENOENT",
        "  mute: The server can't be reached: MCP error -32000: Connection closed; it said: no key here",
        '  locked: No secret NOWHERE',
      ].join('\n'),
    );
  });

  test('closing an MCP connection ends its program', async () => {
    const tools = await openTestedTools({ odd: ODD_PROGRAM });
    const pid = Number(await tools.call('odd.pid'));
    await tools.close();
    expect(isRunning(pid)).toBe(false);
    await expect(tools.call('odd.echo')).rejects.toMatchObject({ retryable: true, done: 'no' });
    expect(tools.reports).toEqual([]);
  });

  test('an MCP program that is being stopped is not called', async () => {
    const tools = await openTestedTools({ odd: { ...ODD_PROGRAM, env: { STUBBORN: 'yes' } } });
    const spoiled = tools.call('odd.large', 10_000_001);
    spoiled.catch(() => undefined);
    await expect
      .poll(
        async () =>
          await tools.call('odd.slow', null, { signal: AbortSignal.timeout(500) }).catch((error: unknown) => error),
        SOON,
      )
      .toMatchObject({ retryable: true, done: 'no', message: 'odd.slow: The program is being ended' });
    await expect(spoiled).rejects.toMatchObject({ retryable: true, done: 'perhaps' });
    await tools.close();
  });

  test('an MCP program that ignores its termination is killed', async () => {
    const tools = await openTestedTools({ odd: { ...ODD_PROGRAM, env: { STUBBORN: 'yes' } } });
    const pid = Number(await tools.call('odd.pid'));
    await tools.close();
    await expect.poll(() => isRunning(pid), SOON).toBe(false);
  });
});

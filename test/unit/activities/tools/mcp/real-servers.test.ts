import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aContext } from '../../../../support/builders/call-builders.ts';
import { closedPort } from '../../../../support/doubles/loopback-server.ts';
import { openTestedTools } from '../../../../support/doubles/mcp-tools.ts';
import type { TestedTools } from '../../../../support/doubles/mcp-tools.ts';

const program = (name: string): string => resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const EVERYTHING = { command: process.execPath, args: [program('everything'), 'stdio'], trusted: true };
const SOME = { echo: {}, 'get-sum': {}, 'get-structured-content': {}, 'trigger-long-running-operation': {} };

describe('server-everything, as a program', () => {
  let tools: TestedTools;
  beforeAll(async () => {
    tools = await openTestedTools({ every: { ...EVERYTHING, tools: SOME } });
  });
  afterAll(async () => await tools.close());

  test('server-everything over stdio lists its tools, with effects by its hints', () => {
    expect(tools.names).toEqual(Object.keys(SOME).map((name) => `every.${name}`));
    expect(tools.tool('every.echo')).toMatchObject({ effect: 'idempotent', description: expect.stringMatching(/./) });
  });

  test('a tool of server-everything over stdio is called', async () => {
    expect(await tools.tool('every.echo').execute({ message: 'hello' }, aContext())).toBe('Echo: hello');
    expect(await tools.tool('every.get-sum').execute({ a: 2, b: 3 }, aContext())).toBe('The sum of 2 and 3 is 5.');
    expect(
      await tools.tool('every.get-structured-content').execute({ location: 'New York' }, aContext()),
    ).toMatchObject({ temperature: expect.any(Number) });
  });

  test('server-everything over stdio reports invalid arguments', async () => {
    await expect(tools.tool('every.get-sum').execute({ a: 'x' }, aContext())).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
    });
  });

  test('server-everything over stdio is not awaited when a call is canceled', async () => {
    const controller = new AbortController();
    const call = tools
      .tool('every.trigger-long-running-operation')
      .execute({ duration: 60, steps: 60 }, aContext({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 200);
    await expect(call).rejects.toThrow('The call was canceled');
  });
});

describe('server-everything, over HTTP', () => {
  const servers: ChildProcessByStdio<null, Readable, Readable>[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.kill('SIGKILL')));

  /** @returns the server, and the number of messages it received */
  const startAt = async (port: number) => {
    const server = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    servers.push(server);
    let words = '';
    server.stdout.on('data', (chunk) => (words += String(chunk)));
    await once(server.stderr, 'data');
    return { server, heard: () => words.split('Received MCP POST request').length - 1 };
  };

  test('server-everything over HTTP is called, lost, and reconnected', { timeout: 60_000 }, async () => {
    const port = await closedPort();
    const { server, heard } = await startAt(port);
    const tools = await openTestedTools(
      { every: { url: `http://127.0.0.1:${port}/mcp`, tools: SOME, trusted: true } },
      { allow: [`127.0.0.1:${port}`] },
    );
    const echo = async (): Promise<unknown> => await tools.tool('every.echo').execute({ message: 'hello' }, aContext());
    expect(await echo()).toBe('Echo: hello');

    // The handshake takes two messages, and the list of tools one.
    await expect.poll(heard).toBe(4);
    const call = tools.tool('every.trigger-long-running-operation').execute({ duration: 60, steps: 60 }, aContext());
    const lost = Promise.resolve(call).catch((error: unknown) => error);
    await expect.poll(heard).toBe(5);
    server.kill('SIGKILL');
    expect(await lost).toMatchObject({ retryable: true, done: 'perhaps' });
    await expect(echo()).rejects.toMatchObject({ retryable: true, done: 'no' });

    await startAt(port);
    await expect(echo()).rejects.toMatchObject({
      retryable: true,
      done: 'no',
      message: expect.stringContaining('session'),
    });
    expect(await echo()).toBe('Echo: hello');
    await tools.close();
  });
});

describe('server-filesystem', () => {
  let folder: string;
  let tools: TestedTools;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-mcp-')));
    tools = await openTestedTools({
      files: {
        command: process.execPath,
        args: [program('filesystem'), folder],
        tools: { write_file: { effect: 'idempotent' }, read_text_file: {}, list_directory: {} },
      },
    });
  });
  afterAll(async () => {
    await tools.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a tool of server-filesystem writes and reads a file', async () => {
    const path = join(folder, 'note.txt');
    await tools.tool('files.write_file').execute({ path, content: 'Remember' }, aContext());
    expect(await readFile(path, 'utf8')).toBe('Remember');
    expect(await tools.tool('files.read_text_file').execute({ path }, aContext())).toMatchObject({
      content: 'Remember',
    });
  });

  test('server-filesystem refuses files outside of its folder', async () => {
    const call = tools.tool('files.read_text_file').execute({ path: '/etc/hostname' }, aContext());
    await expect(call).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
      message: expect.stringContaining('Access denied'),
    });
  });
});

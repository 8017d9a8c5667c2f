import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT_MS = 120_000;

const FIELDS = [
  ['S', 'FATAL'],
  ['V', 'FATAL'],
  ['C', '28P01'],
  ['M', 'password authentication failed for user "x"'],
] as const;

/** PostgreSQL's response to a wrong password. */
function refusal(): Buffer {
  const fields = Buffer.from(`${FIELDS.map(([kind, value]) => `${kind}${value}\0`).join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

let database: Server;
let folder: string;
beforeAll(async () => {
  database = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(refusal()));
  });
  await once(database.listen(0, '127.0.0.1'), 'listening');
  folder = await mkdtemp(join(tmpdir(), 'holdfast-start-'));
  const auth = { issuer: 'https://x.example/', audience: 'a', jwksUrl: 'https://x.example/keys' };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auth }));
});
afterAll(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    DATABASE_URL: `postgres://x:secret@127.0.0.1:${portOf(database)}/d`,
    HOLDFAST_CURSOR_SECRET: 'a'.repeat(40),
    HOLDFAST_CONFIG: join(folder, 'config.json'),
    HOLDFAST_HEALTH_PORT: '0',
    PORT: '0',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  };
}

/** Runs a process to its end. */
async function runToEnd(args: readonly string[], others: NodeJS.ProcessEnv = {}) {
  const env = { ...environment(), ...others };
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], { cwd: root, env });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS - 10_000);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  clearTimeout(timer);
  return { stdout, stderr, code };
}

test.each([[['src/worker.ts']], [['src/api/server.ts']], [['bin/holdfast.js', 'worker']]])(
  'the process %j exits with 1 and the reason when the database refuses it, although Temporal is down',
  async (args) => {
    const { stderr, stdout, code } = await runToEnd(args);
    expect(stderr).toContain('password authentication failed for user "x"');
    expect(`${stdout}${stderr}`).not.toContain('secret');
    expect(code).toBe(1);
  },
  LIMIT_MS,
);

test.each([
  ['src/api/server.ts', 'PORT'],
  ['src/worker.ts', 'HOLDFAST_HEALTH_PORT'],
  ['src/worker.ts', 'HOLDFAST_TEMPORAL_METRICS_PORT'],
])(
  'the process %s exits with 1 and one line that names %s when its port is in use',
  async (file, variable) => {
    const holder = createServer();
    await once(holder.listen(0, '0.0.0.0'), 'listening');
    const port = portOf(holder);
    const { stderr, code } = await runToEnd([file], { [variable]: String(port) }).finally(() => holder.close());
    expect({ stderr, code }).toEqual({ stderr: `Port ${port} (${variable}) is in use; set another one\n`, code: 1 });
  },
  LIMIT_MS,
);

/** The lines that a stack prints while it starts. */
const STARTING = /^Starting .*\n(?: {2}.+: ready in .+\n)*/;

const FREE_PORTS = ['--port', '0', '--temporal-port', '0', '--ui-port', '0'];

test(
  'the command start exits with 1 and one line about it when its log can not be opened',
  async () => {
    const args = ['bin/holdfast.js', 'start', '--data-dir', join(folder, 'data'), '--log-file', folder, ...FREE_PORTS];
    const { stderr, code } = await runToEnd(args);
    const message = `The log can't be written to ${folder}: EISDIR: illegal operation on a directory, open '${folder}'\n`;
    expect({ stderr: stderr.replace(STARTING, ''), code }).toEqual({ stderr: message, code: 1 });
  },
  LIMIT_MS,
);

test(
  'the command start exits with 1 and names the Temporal address that does not respond',
  async () => {
    const args = ['bin/holdfast.js', 'start', '--data-dir', join(folder, 'away'), ...FREE_PORTS];
    const { stderr, code } = await runToEnd(args, { DATABASE_URL: '' });
    expect({ stderr: stderr.replace(STARTING, ''), code }).toEqual({
      stderr: expect.stringMatching(/^Temporal at 127\.0\.0\.1:1 can't be reached: .+\n$/),
      code: 1,
    });
  },
  LIMIT_MS,
);

test(
  'a process that is requested to shut down before it opens its connections exits at once',
  async () => {
    const program = `
      const { listenForShutdown } = await import('./src/process/listen-for-shutdown.ts');
      const { createLogger } = await import('./src/process/logger.ts');
      const shutdown = listenForShutdown(createLogger('silent'));
      setTimeout(() => process.exit(7), 60_000);
      process.kill(process.pid, 'SIGTERM');
      await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve));
      await shutdown.opening(new Promise(() => undefined), async () => undefined);`;
    expect(await runToEnd(['--input-type=module', '--eval', program])).toMatchObject({ code: 0 });
  },
  LIMIT_MS,
);

test(
  'a process that can not start exits with 1 although one of its parts does not close, also after SIGTERM',
  async () => {
    const program = `
      const { listenForShutdown } = await import('./src/process/listen-for-shutdown.ts');
      const { createLogger } = await import('./src/process/logger.ts');
      const shutdown = listenForShutdown(createLogger('info'));
      setInterval(() => undefined, 1_000);
      const closing = async () => {
        process.kill(process.pid, 'SIGTERM');
        await new Promise(() => undefined);
      };
      await shutdown.opening(Promise.reject(new Error('no graphs')), closing);`;
    const { stdout, code } = await runToEnd(['--input-type=module', '--eval', program]);
    expect(code).toBe(1);
    expect(stdout).toContain('no graphs');
  },
  LIMIT_MS,
);

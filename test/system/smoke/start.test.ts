import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { choosePort } from '../../../src/dev/ports.ts';
import { createApiClient } from '../../support/api-client.ts';
import type { ApiAnswer, ApiClient } from '../../support/api-client.ts';

/* `npm start` as a user has it, in a process of its own. */

const PROJECT = new URL('../../..', import.meta.url);

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface Started {
  readonly process: Child;
  readonly ready: Readonly<Record<'baseUrl' | 'temporalAddress' | 'uiUrl', string>>;
}

/** So that signals and exit codes are of the process itself. */
const DIRECTLY: readonly [string, ...string[]] = [process.execPath, '--import', 'tsx', 'src/dev/start.ts'];

describe('npm start', () => {
  let folder: string;
  let tokensFile: string;
  const running: Child[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-start-'));
    tokensFile = join(folder, 'tokens.json');
  });
  afterAll(async () => {
    await Promise.all(running.map(async (child) => await end(child, 'SIGTERM')));
    await rm(folder, { recursive: true, force: true });
  });

  const launchBy = (command: readonly [string, ...string[]], ...flags: string[]): Child => {
    const [program, ...args] = command;
    const child = spawn(program, [...args, '--data-dir', join(folder, 'data'), ...flags], {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return child;
  };
  const launch = (...flags: string[]): Child => launchBy(DIRECTLY, ...flags);
  const start = async (command = DIRECTLY): Promise<Started> => {
    const child = launchBy(
      command,
      '--json',
      '--tokens-file',
      tokensFile,
      '--port',
      '0',
      '--temporal-port',
      '0',
      '--ui-port',
      '0',
    );
    const line = await firstLine(child);
    return { process: child, ready: JSON.parse(line) };
  };
  const as = async (caller: string, { ready }: Started): Promise<ApiClient> => {
    const tokens: Record<string, string> = JSON.parse(await readFile(tokensFile, 'utf8'));
    return createApiClient(ready.baseUrl, tokens[caller] ?? '');
  };

  test(
    'killed and started again, it goes on where it was; told to stop, it leaves nothing behind',
    { timeout: 180_000 },
    async () => {
      const first = await start();
      const ticket = {
        id: 'T-04',
        from: 'it@smallfirm.example',
        subject: 'Refund request A-1004',
        body: 'The laptop of order A-1004 is back with you. Please refund $1,899.00.',
      };
      const begun = await (await as('user', first)).post('/api/runs', { graph: 'refund-triage', input: { ticket } });
      expect(begun.status).toBe(201);
      const { id } = JSON.parse(JSON.stringify(begun.body));
      await (await as('user', first)).untilRun(id, isStatus('waiting'));
      await end(first.process, 'SIGKILL');

      const second = await start();
      const approved = await approve(await as('approver', second), id);
      expect(approved.status).toBe(200);
      const run = await (await as('user', second)).untilRun(id, isStatus('completed'), 60_000);
      expect(run).toMatchObject({ output: { outcome: 'refunded', amountRefunded: 1899 } });

      const pid = Number(await readFile(join(folder, 'data', 'temporal.db.pid'), 'utf8'));
      await end(second.process, 'SIGTERM');
      expect(second.process.exitCode).toBe(0);
      expect([isAlive(pid), existsSync(join(folder, 'data', 'lock'))]).toEqual([false, false]);
    },
  );

  test('told to stop through npm, it leaves nothing behind either', { timeout: 120_000 }, async () => {
    const { process: npm } = await start(['npm', 'start', '--silent', '--']);
    const pid = Number(await readFile(join(folder, 'data', 'temporal.db.pid'), 'utf8'));
    await end(npm, 'SIGTERM');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    await expect.poll(() => existsSync(join(folder, 'data', 'lock')), { timeout: 30_000 }).toBe(false);
  });

  test('the tokens are for their owner only', async () => {
    expect((await stat(tokensFile)).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(await readFile(tokensFile, 'utf8')))).toEqual([
      'baseUrl',
      'temporalAddress',
      'uiUrl',
      'user',
      'approver',
      'approver2',
      'admin',
      'otherTenantUser',
    ]);
  });

  test('a port that was given and is in use is refused', async () => {
    const port = await choosePort('the test', 0, 0);
    const holder = createServer();
    await once(holder.listen(port, '127.0.0.1'), 'listening');
    const child = launch('--port', String(port));
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    holder.close();
    expect(child.exitCode).toBe(1);
    expect(said).toContain(`Port ${port} (the API) is in use`);
  }, 60_000);

  test.each([
    [['--prot', '1'], /--prot/],
    [['--port', 'many'], /--port takes a port number, not "many"/],
  ])('%j is refused', async (flags, message) => {
    const child = launch(...flags);
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(child.exitCode).toBe(1);
    expect(said).toMatch(message);
  });
});

/** What the first one was in the middle of is only given up after its time: until then the API asks to be asked again. */
async function approve(approver: ApiClient, id: string): Promise<ApiAnswer> {
  const once = { 'idempotency-key': `approve-${id}` };
  for (const deadline = Date.now() + 60_000; ;) {
    const answer = await approver.post(`/api/runs/${id}/approve`, { reason: 'It is back' }, once);
    if (!answer.headers.has('retry-after') || Date.now() > deadline) return answer;
  }
}

const isStatus =
  (status: string) =>
  (run: unknown): boolean =>
    typeof run === 'object' && run !== null && 'status' in run && run.status === status;

async function firstLine(child: Child): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const line: unknown = await Promise.race([
    once(lines, 'line').then(([given]: unknown[]) => given),
    once(child, 'exit'),
  ]);
  if (typeof line !== 'string') throw new Error(`It ended at once: ${await text(child.stderr)}`);
  return line;
}

async function end(child: Child, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { hasStatus } from '../support/readers/api-runs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { end, isAlive, useNpmStart } from '../support/servers/npm-start.ts';
import type { Child } from '../support/servers/npm-start.ts';

/* When a stack ends for any reason but SIGKILL, the Temporal server that it has started ends, too. */

const { launch, start, as, dataFile, tokensFile } = useNpmStart();

/** A module that throws an uncaught error at SIGUSR2. */
const FAULT = `data:text/javascript,process.once('SIGUSR2', () => { throw new Error('a fault') })`;
const FREE_PORTS = ['--port', '0', '--temporal-port', '0', '--ui-port', '0'];

/** The id of the Temporal process; 0 if it is not written yet. */
const temporalPid = async (): Promise<number> =>
  Number(await readFile(dataFile('temporal.db.pid'), 'utf8').catch(() => ''));
const untilGone = async (pid: number): Promise<void> =>
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);

let child: Child | null = null;
afterEach(async () => {
  if (child) await end(child, 'SIGTERM');
});

describe('npm start', () => {
  test(
    'npm start continues when its output is closed, and stops in order at a signal',
    { timeout: 120_000 },
    async () => {
      child = launch('--tokens-file', tokensFile(), ...FREE_PORTS);
      const lines = createInterface({ input: child.stdout });
      const [first = ''] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
      expect(first).toMatch(/^Holdfast is running/);
      child.stdout.destroy();
      child.stderr.destroy();
      const { baseUrl }: { baseUrl: string } = JSON.parse(await readFile(tokensFile(), 'utf8'));
      const user = await as('user', { process: child, ready: { baseUrl, temporalAddress: '', uiUrl: '' } });
      for (const name of ['Ada', 'Bob']) {
        const { body } = await user.post('/api/runs', { graph: aDefinition(), input: {}, metadata: { name } });
        const { id } = JSON.parse(JSON.stringify(body));
        await user.untilRun(id, hasStatus('completed'));
      }
      const pid = await temporalPid();
      await end(child, 'SIGTERM');
      expect([child.exitCode, isAlive(pid), existsSync(dataFile('lock'))]).toEqual([0, false, false]);
    },
  );

  test('npm start stops in order when its terminal is closed', { timeout: 120_000 }, async () => {
    ({ process: child } = await start());
    const pid = await temporalPid();
    await end(child, 'SIGHUP');
    expect([child.exitCode, isAlive(pid), existsSync(dataFile('lock'))]).toEqual([0, false, false]);
  });

  test(
    'npm start reports that its server has exited, and stops in order with exit code 1',
    { timeout: 120_000 },
    async () => {
      ({ process: child } = await start());
      const said: string[] = [];
      child.stderr.on('data', (text) => said.push(String(text)));
      const ended = once(child, 'exit');
      const pid = await temporalPid();
      // The id 0 would refer to the process group of the test.
      expect([pid > 0, isAlive(pid)]).toEqual([true, true]);
      process.kill(pid, 'SIGKILL');
      await ended;
      expect(said.join('')).toMatch(
        /^The Temporal server at 127\.0\.0\.1:\d+ has ended \(SIGKILL\), so the stack stops\. Start it again: all runs go on\n$/m,
      );
      expect([child.exitCode, existsSync(dataFile('lock'))]).toEqual([1, false]);
    },
  );

  test('npm start leaves no server behind when it crashes', { timeout: 120_000 }, async () => {
    ({ process: child } = await start([process.execPath, '--import', FAULT, 'bin/holdfast.js', 'start', '--demo']));
    const pid = await temporalPid();
    await end(child, 'SIGUSR2');
    expect(child.exitCode).toBe(1);
    await untilGone(pid);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'npm start leaves no server behind when %s ends it while it starts',
    { timeout: 120_000 },
    async (signal) => {
      const before = await temporalPid();
      const starting = launch(...FREE_PORTS);
      child = starting;
      const isNew = async (): Promise<boolean> => ![0, before].includes(await temporalPid());
      await expect.poll(isNew, { timeout: 60_000, interval: 10 }).toBe(true);
      const pid = await temporalPid();
      await end(starting, signal);
      expect(starting.exitCode).toBe(0);
      await untilGone(pid);
    },
  );
});

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/process/listen.ts';
import { end, isAlive, useNpmStart } from '../support/servers/npm-start.ts';

const { launch, start, dataFile } = useNpmStart();

describe('npm start', () => {
  test('npm start leaves no process behind when it is stopped through npm', { timeout: 120_000 }, async () => {
    const { process: npm } = await start(['npm', 'start', '--silent', '--']);
    const pid = Number(await readFile(dataFile('temporal.db.pid'), 'utf8'));
    await end(npm, 'SIGTERM');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    await expect.poll(() => existsSync(dataFile('lock')), { timeout: 30_000 }).toBe(false);
  });

  test('npm start refuses a given port that is in use', async () => {
    const holder = await listen({ fetch: () => new Response() }, { port: 0 });
    const { port } = holder;
    const child = launch('--port', String(port));
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    await holder.stop();
    expect(child.exitCode).toBe(1);
    expect(said).toContain(`Port ${port} (the API) is in use`);
  }, 60_000);

  test.each([
    [['--prot', '1'], /--prot/],
    [['--port', 'many'], /--port takes a port number, not "many"/],
  ])('npm start refuses the arguments %j', async (flags, message) => {
    const child = launch(...flags);
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(child.exitCode).toBe(2);
    expect(said).toMatch(message);
  });
});

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isMain } from '../process/is-main.ts';
import { startStack } from './stack.ts';

/** Starts a stack with the conformance suite's configuration and runs the suite's scenarios against it. */
async function main(): Promise<number> {
  const folder = resolve(process.env['CONFORMANCE_DIR'] ?? '../shared/conformance-next');
  const runner = join(folder, 'run.mjs');
  if (!existsSync(runner)) {
    process.stdout.write(`There is no conformance suite at ${folder}; CONFORMANCE_DIR names another folder.\n`);
    return 0;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const stack = await startStack({
    config: join(folder, 'holdfast.config.json'),
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    dataDir,
    environment: process.env,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    const tokens = join(dataDir, 'tokens.json');
    await writeFile(tokens, JSON.stringify(stack.tokens), { mode: 0o600 });
    // The runner does nothing when it is started through a link.
    return await run(await realpath(runner), [
      '--base-url',
      stack.baseUrl,
      '--tokens',
      tokens,
      ...process.argv.slice(2),
    ]);
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function run(script: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
  return await new Promise((done) => child.once('exit', (code) => done(code ?? 1)));
}

if (isMain(import.meta.url)) process.exit(await main());

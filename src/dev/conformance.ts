import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMain } from '../process/is-main.ts';
import { findSuite, playSuite } from './conformance-suite.ts';
import { startStack } from './stack.ts';

/** Starts a stack with the conformance suite's configuration and runs the suite's scenarios against it. */
async function main(): Promise<number> {
  const suite = findSuite(process.env);
  if (!suite.isThere) {
    process.stdout.write(`There is no conformance suite at ${suite.folder}; CONFORMANCE_DIR names another folder.\n`);
    return 0;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const stack = await startStack({
    config: suite.config,
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
    return await playSuite(suite, ['--base-url', stack.baseUrl, '--tokens', tokens, ...process.argv.slice(2)]);
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) process.exit(await main());

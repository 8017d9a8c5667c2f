import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStack } from '../../src/dev/stack.ts';
import type { Stack } from '../../src/dev/stack.ts';

/*
 * Does what docs/recovery.md tells its reader to do, and holds what comes out against what it says.
 */

const run = promisify(execFile);
const MARK = '--- block ---';

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tour-'));
  const anyPorts = { port: 0, temporalPort: 0, uiPort: 0 };
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  stack = await startStack({ dataDir: join(folder, 'data'), ...anyPorts, environment: process.env, say });
  await mkdir(join(folder, '.holdfast'));
  await writeFile(join(folder, '.holdfast/tokens.json'), JSON.stringify(stack.tokens));
  await cp('examples/recovery', join(folder, 'examples/recovery'), { recursive: true });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A block of shell commands, and what the page says that they print. */
interface Block {
  readonly commands: string;
  readonly prints: string;
}

function blocksOf(page: string): readonly Block[] {
  const fences = [...page.matchAll(/^```(sh|text)\n(.*?)^```$/gms)].map(([, kind = '', body = '']) => ({ kind, body }));
  return fences.flatMap(({ kind, body }, at) => {
    const next = fences[at + 1];
    return kind === 'sh' ? [{ commands: body, prints: next?.kind === 'text' ? next.body : '' }] : [];
  });
}

test('every command of the tour prints what the page says', async () => {
  const blocks = blocksOf(await readFile('docs/recovery.md', 'utf8'));
  const script = blocks.map(({ commands }) => `${commands}\necho '${MARK}'`).join('\n');
  const here = script.replace(/^API=\S+/m, `API=${stack.baseUrl}`);
  const { stdout } = await run('bash', ['-eu', '-c', here], { cwd: folder });
  const printed = stdout.split(`${MARK}\n`).slice(0, -1);
  expect(blocks.length).toBeGreaterThan(8);
  expect(printed).toEqual(blocks.map(({ prints }) => prints));
});

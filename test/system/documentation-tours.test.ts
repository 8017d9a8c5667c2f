import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoServices } from '../../src/dev/demo-services.ts';
import { startStack } from '../../src/dev/stack.ts';
import type { Stack } from '../../src/dev/stack.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import { at } from '../support/readers/json-at.ts';
import { graphJobsHere } from '../support/doubles/graph-jobs-here.ts';

/*
 * Executes the commands of documentation pages and compares their output with the pages. The project's configuration
 * reads variables when it is loaded, so no other test may have loaded it before.
 */

const run = promisify(execFile);
const MARK = '--- block ---';

// The configuration of the project reads the addresses of model and shop from the process environment.
const variables = { ...process.env };
let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tour-'));
  const anyPorts = { port: 0, temporalPort: 0, uiPort: 0 };
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  stack = await startStack({
    dataDir: join(folder, 'data'),
    ...anyPorts,
    environment: process.env,
    services: startDemoServices,
    graphJobs: graphJobsHere,
    say,
  });
  await mkdir(join(folder, '.holdfast'));
  await writeFile(join(folder, '.holdfast/tokens.json'), JSON.stringify({ baseUrl: stack.baseUrl, ...stack.tokens }));
  await cp('examples', join(folder, 'examples'), { recursive: true });
});
afterAll(async () => {
  process.env = variables;
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A block of shell commands, and their output according to the page. */
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

/** The command of a project that has installed Holdfast, and the configuration of this one. */
const COMMAND = `npx() { HOLDFAST_CONFIG=${resolve('holdfast.config.ts')} node ${resolve('bin/holdfast.js')} "\${@:2}"; }`;

test.each([
  ['agents', 7],
  ['recovery', 8],
  ['testing', 4],
])('every command of docs/%s.md prints the output that the page shows', async (page, least) => {
  const blocks = blocksOf(await readFile(`docs/${page}.md`, 'utf8'));
  const script = blocks.map(({ commands }) => `${commands}\necho '${MARK}'`).join('\n');
  const here = script.replace(/^API=\S+/m, `API=${stack.baseUrl}`);
  const { stdout } = await run('bash', ['-eu', '-c', `${COMMAND}\n${here}`], { cwd: folder });
  const printed = stdout.split(`${MARK}\n`).slice(0, -1);
  expect(blocks.length).toBeGreaterThan(least);
  expect(printed).toEqual(blocks.map(({ prints }) => prints));
});

test('the definition in docs/agents.md equals the example, and is a valid graph', async () => {
  const page = await readFile('docs/agents.md', 'utf8');
  const [node = '', byHand = ''] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, body = '']) => body);
  const example = toJson(JSON.parse(await readFile('examples/agent/refund-agent.json', 'utf8')));
  expect(JSON.parse(node)).toEqual(at(example, '/nodes/settle'));
  const user = createApiClient(stack.baseUrl, stack.tokens.user);
  for (const definition of [example, JSON.parse(byHand)])
    expect(await user.post('/api/graphs/validate', definition)).toMatchObject({ body: { valid: true, issues: [] } });
});

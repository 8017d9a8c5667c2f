import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile } from '../support/readers/documentation.ts';
import { matchesPage, withKnownValues } from '../support/readers/shaped-text.ts';
import type { Names } from '../support/readers/shaped-text.ts';
import { startDev } from '../support/servers/developed-project.ts';
import type { DevelopedProject } from '../support/servers/developed-project.ts';

/* Executes the commands of docs/cli.md and compares their output with the page. */

const run = promisify(execFile);
const PAGE = 'docs/cli.md';
const TOOLS = 'tools/refund-tools.ts';
const GRAPH = 'graphs/refund.ts';

let root: string;
let project: DevelopedProject | null = null;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
});
afterAll(async () => {
  await project?.stop();
  await rm(root, { recursive: true, force: true });
});

interface Fence {
  readonly kind: string;
  readonly body: string;
}

const fences: readonly Fence[] = [...readFile(PAGE).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
  ([, kind = '', body = '']) => ({ kind, body }),
);

/** The command of a project that has installed Holdfast. Its error output is read together with its results. */
const COMMAND = `npx() { node ${resolve('bin/holdfast.js')} "\${@:2}"; }`;

/** A run may exit with any code: the page shows only the output. */
async function printed(commands: string, cwd: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', `${COMMAND}\nexec 2>&1\n${commands}`, '--'], { cwd }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/** Starts the project, and changes it so that every line of the page is printed. */
async function develop(folder: string): Promise<DevelopedProject> {
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const developed = startDev(folder, resolve('.'));
  await developed.untilLine(/^published refund/);
  const refund = async (euros: number) =>
    await developed.holdfast('run', join(folder, GRAPH), '--input', JSON.stringify({ order: 'A-1001', euros }));
  const execute = '  execute({ order, euros }, { key, logger }) {\n';
  const failing =
    "    if (euros === 30 && !receipts.has(key)) {\n      receipts.set(key, 'R-0');\n      throw new Error('shop is down');\n    }\n";
  // Without a delay, the call could be repeated before its failure is printed.
  await developed.edit(TOOLS, execute, `  retry: { initialInterval: '5s' },\n${execute}${failing}`);
  await developed.untilLine(/^reloaded/);
  const paid = refund(30);
  await developed.untilLine(/pay makes attempt 2/);
  expect((await paid).code).toBe(0);
  await developed.edit(TOOLS, 'export const lookupOrder', "throw new Error('at load');\nexport const lookupOrder");
  // A file that is read while it is being written is not reloaded either, for another reason.
  await developed.untilLine(/^not reloaded, .*at load/);
  await developed.edit(TOOLS, "throw new Error('at load');\n", '');
  await developed.untilLine(/^reloaded/);
  await developed.edit(GRAPH, "to: 'refuse' },", "to: 'refus' },");
  await developed.untilLine(/error UNKNOWN_NODE/);
  await developed.edit(GRAPH, "to: 'refus' },", "to: 'refuse' },");
  return developed;
}

test('every command prints the output that the page about the command line shows', async () => {
  const names: Names = new Map();
  const wrong: object[] = [];
  let executed = 0;
  for (const [index, { kind, body }] of fences.entries()) {
    if (kind !== 'sh') continue;
    if (body.includes('holdfast dev ')) {
      project = await develop(join(root, 'my-app'));
      continue;
    }
    const text = await printed(withKnownValues(body, names), project === null ? root : join(root, 'my-app'));
    executed += 1;
    const next = fences[index + 1];
    if (next?.kind === 'text' && !matchesPage(text, next.body, names))
      wrong.push({ commands: body, shown: next.body, text });
  }
  expect(wrong).toEqual([]);
  expect(executed).toBeGreaterThan(10);
}, 600_000);

test('the command `dev` prints each line that the page about the command line shows', () => {
  const shown = fences.flatMap(({ kind, body }) => (kind === 'console' ? body.trimEnd().split('\n') : []));
  const told = project?.linesSoFar() ?? [];
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter((line) => !told.some((each) => matchesPage(each, line, new Map())))).toEqual([]);
});

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, readFile } from '../support/readers/documentation.ts';
import { matchesPage, withKnownValues } from '../support/readers/shaped-text.ts';
import type { Names } from '../support/readers/shaped-text.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';

/* Executes the commands of the README and compares the responses with those on the page. */

const run = promisify(execFile);

const { start, tokensFile } = useNpmStart();
let baseUrl: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-readme-'));
  ({ baseUrl } = (await start()).ready);
  await mkdir(join(folder, '.holdfast'));
  await copyFile(tokensFile(), join(folder, '.holdfast/tokens.json'));
  const [summary = '', payBack = ''] = codeIn('README.md', 'json');
  await writeFile(join(folder, 'order-summary.json'), summary);
  await writeFile(join(folder, 'pay-back.json'), payBack);
}, 120_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Commands, and the end of their output according to the page; an ellipsis stands for omitted text. */
interface Step {
  readonly commands: string;
  readonly shown: string;
}

function stepsIn(code: string): readonly Step[] {
  return [...code.matchAll(/((?:^(?!# ).*\n)+)# (.*)\n/gm)].map(([, commands = '', shown = '']) => ({
    commands,
    shown: `…${shown}`,
  }));
}

test('every response to a command of the README equals the one that the README shows', async () => {
  const [, tour = ''] =
    /^## A first graph$(.*?)^The same decision can be made without the API/ms.exec(readFile('README.md')) ?? [];
  const code = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('');
  const steps = stepsIn(code.replace('npm start\n', '').replace(/^API=\S+/m, `API=${baseUrl}`));
  const names: Names = new Map();
  const wrong: object[] = [];
  let set = '';
  for (const { commands, shown } of steps) {
    const now = withKnownValues(commands, names);
    const { stdout } = await run('bash', ['-eu', '-c', `${set}\n${now}`], { cwd: folder });
    set += now.match(/^[A-Z]+=.*$/gm)?.join('\n') ?? '';
    set += '\n';
    if (!matchesPage(stdout, shown, names)) wrong.push({ commands, shown, stdout });
  }
  expect(wrong).toEqual([]);
  expect(steps.length).toBeGreaterThan(5);
});

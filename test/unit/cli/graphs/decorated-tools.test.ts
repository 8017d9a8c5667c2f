import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { createFolder } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

const run = promisify(execFile);

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

test('`validate` in a separate process finds the decorated methods of a configuration', async () => {
  const call = { type: 'tool', tool: 'grant_points', args: { customer: 'ann', points: 1 }, write: 'log' } as const;
  const file = await folder.write('grant.json', aDefinition({ nodes: { call } }));
  const flags = ['--config', 'examples/tools/holdfast.config.ts'];
  const { stdout } = await run(process.execPath, ['bin/holdfast.js', 'validate', file, ...flags]);
  expect(stdout).toBe('1 file: 0 errors, 0 warnings\n');
});

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../../support/builders/builders.ts';
import { createFolder } from '../../support/servers/command-line.ts';
import type { Folder } from '../../support/servers/command-line.ts';

const run = promisify(execFile);

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
  const model = { provider: 'openai', model: 'm', apiKey: { secret: 'KEY_OF_A_TEST' } };
  await folder.write('holdfast.config.json', { models: { default: model } });
  await folder.write('graph.json', aDefinition({ nodes: { ask: { type: 'llm', prompt: 'Hello', write: 'log' } } }));
});
afterAll(async () => await folder.remove());

const validate = async (env: Readonly<Record<string, string>> = {}) => {
  const options = { cwd: folder.path('.'), env: { ...process.env, ...env } };
  return await run(process.execPath, [resolve('bin/holdfast.js'), 'validate', 'graph.json'], options);
};

test('the variables of .env in the working folder are set for commands that read a configuration', async () => {
  const missing = 'warning: The environment holds no secret KEY_OF_A_TEST, used by model default\n';
  expect((await validate()).stderr).toContain(missing);
  await folder.write('.env', '# a comment\nKEY_OF_A_TEST="a value"\n');
  expect((await validate()).stderr).toBe('Set by .env: KEY_OF_A_TEST\nChecked against holdfast.config.json.\n');
  expect((await validate({ KEY_OF_A_TEST: '' })).stderr).toContain(missing);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

/* A flag that would have no effect is refused. */

let folder: Folder;
let graph: string;
beforeAll(async () => {
  folder = await createFolder();
  graph = await folder.write('graph.json', aDefinition());
});
afterAll(async () => await folder.remove());

const HERE = { HOLDFAST_URL: 'http://127.0.0.1:1', HOLDFAST_TOKEN: 'of the environment' };

describe('--as', () => {
  test.each(['approvals', 'interventions'])(
    'the flag --as of `%s` is refused when the environment sets the token',
    async (command) => {
      expect(await holdfast([command, '--as', 'admin'], HERE)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--as takes a token of a tokens file, and none is read'),
      });
    },
  );

  test('the flag --as is refused together with --token', async () => {
    expect(await holdfast(['approvals', '--as', 'admin', '--token', 't'], HERE)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Both --as and --token say who asks'),
    });
  });

  test.each([
    ['approvals', 'approver'],
    ['interventions', 'user'],
    ['promote', 'admin'],
  ])('the flag --as of `%s` is by default %s', async (command, name) => {
    const tokens = await folder.write('tokens.json', { baseUrl: 'http://127.0.0.1:1' });
    const operands = command === 'promote' ? ['R1', '--to', folder.path('never.json')] : [];
    expect(await holdfast([command, ...operands, '--tokens-file', tokens])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`has no token for "${name}"`),
    });
    expect((await holdfast(['help', command])).stdout).toContain(`(default: ${name})`);
  });
});

test.each(['validate', 'eval'])('the command `%s` refuses --config together with --no-config', async (command) => {
  const file = command === 'eval' ? await folder.write('cases.jsonl', '{}') : graph;
  const flags = command === 'eval' ? ['--graph', graph] : [];
  expect(await holdfast([command, file, ...flags, '--config', 'c.json', '--no-config'])).toMatchObject({
    code: 2,
    stderr: 'holdfast: Give --config or --no-config, not both\n',
  });
});

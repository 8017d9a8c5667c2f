import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

test.each(['HOLDFAST_URL', 'HOLDFAST_TOKEN'])('an empty environment variable %s counts as unset', async (name) => {
  const tokens = await folder.write('tokens.json', { baseUrl: 'http://127.0.0.1:1' });
  expect(await holdfast(['interventions'], { HOLDFAST_TOKENS_FILE: tokens, [name]: '' })).toMatchObject({
    code: 2,
    stderr: `holdfast: ${tokens} has no token for "user".\n`,
  });
});

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openIssuer } from '../../../src/dev/issuer.ts';
import { createFolder, holdfast } from '../../support/servers/command-line.ts';
import type { Folder } from '../../support/servers/command-line.ts';

let folder: Folder;
let dataDir: string;
beforeAll(async () => {
  folder = await createFolder();
  dataDir = join(await folder.write('tokens.json', { baseUrl: 'http://127.0.0.1:3000', user: 'a token' }), '..');
});
afterAll(async () => await folder.remove());

describe('the command console', () => {
  test('`console` without a development stack prints the command that starts one', async () => {
    expect(await holdfast(['console', '--data-dir', dataDir])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('issuer-key.json is not there'),
    });
  });

  test('`console` prints a URL with a new sign-in code of the stack each time', async () => {
    const issuer = await openIssuer(join(dataDir, 'issuer-key.json'), {});
    const said = [
      await holdfast(['console', '--data-dir', dataDir]),
      await holdfast(['console', '--data-dir', dataDir]),
    ];
    const codes = said.map(({ stdout }) => /^http:\/\/127\.0\.0\.1:3000\/console\/#code=(\S+)\n$/.exec(stdout)?.[1]);
    expect(new Set(codes).size).toBe(2);
    for (const code of codes) expect(await issuer.readCode(code ?? '')).not.toBeNull();
  });

  test('`console` refuses a file that contains no tokens', async () => {
    const other = await folder.write('other.json', [1]);
    expect(await holdfast(['console', '--data-dir', dataDir, '--tokens-file', other])).toMatchObject({ code: 2 });
  });
});

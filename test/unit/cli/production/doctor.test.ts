import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DoctorCheck } from '../../../../src/cli/production/doctor-check.ts';
import { formatCheck, takeCheck } from '../../../../src/cli/production/doctor-check.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

const check = (find: DoctorCheck['find']): DoctorCheck => ({ name: 'thing', remedy: 'mend it', find });

test.each<[string, DoctorCheck['find'], object, string]>([
  ['a finding', async () => 'it', { ok: true, found: 'it', warnings: [] }, 'ok    thing: it\n'],
  [
    'warnings',
    async () => ({ found: 'it', warnings: ['a'] }),
    { ok: true, found: 'it', warnings: ['a'] },
    'ok    thing: it\n      warning: a\n',
  ],
  [
    'a problem',
    async () => await Promise.reject(new Error('broken')),
    { ok: false, problem: 'broken', remedy: 'mend it' },
    'FAIL  thing: broken\n      mend it\n',
  ],
])('a check of doctor with %s has a result for programs and for people', async (_, find, result, text) => {
  const taken = await takeCheck(check(find));
  expect(taken).toEqual({ name: 'thing', ...result });
  expect(formatCheck(taken)).toBe(text);
});

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

test('`doctor --json` without servers in the environment checks the graphs and the local stack', async () => {
  const config = await folder.write('holdfast.config.json', { graphs: '.' });
  const graph = await folder.write('graph.json', { ...aDefinition(), edges: [{ from: '__start__', to: 'nowhere' }] });
  const { code, stdout } = await holdfast(['doctor', '--config', config, '--json']);
  const results = Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ name, ...result }) => [name, result]),
  );
  expect(code).toBe(1);
  expect(results).toMatchObject({
    Node: { ok: true },
    graphs: { ok: false, problem: expect.stringMatching(/^\d graphs? with errors: .*graph\.json/) },
    'local PostgreSQL': { ok: true, found: expect.stringMatching(/^pglite \d/) },
    'local Temporal': { ok: true },
  });
  await folder.write('graph.json', aDefinition());
  expect((await holdfast(['doctor', '--config', config])).stdout).toMatch(/graphs/);
  expect(graph).toContain('graph.json');
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toMermaid, toPlantUml } from '../../../../src/graph/diagram/write-diagram.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => {
  await folder.remove();
});

const DEFINITION = aDefinition({ nodes: { a: { type: 'tool', tool: 'of-elsewhere', write: 'log' } } });

describe('the command diagram', () => {
  test.each([
    [[], toMermaid(DEFINITION)],
    [['--format', 'mermaid'], toMermaid(DEFINITION)],
    [['--format', 'plantuml'], toPlantUml(DEFINITION)],
  ])('`diagram` with the arguments %j prints the drawing', async (flags, stdout) => {
    const file = await folder.write('good.json', DEFINITION);
    expect(await holdfast(['diagram', file, ...flags])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('`diagram` prints the issues of a graph that can not be drawn', async () => {
    const file = await folder.write('bad.json', { ...DEFINITION, edges: 'none' });
    expect(await holdfast(['diagram', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('error INVALID_FIELD'),
    });
  });

  test('`diagram` refuses invalid JSON', async () => {
    const file = await folder.write('broken.json', '{');
    expect(await holdfast(['diagram', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('INVALID_JSON'),
    });
  });

  test('`diagram` works from any folder, as an installed command does', async () => {
    await folder.write('good.json', DEFINITION);
    const launcher = fileURLToPath(new URL('../../../../bin/holdfast.js', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, 'diagram', 'good.json'], {
      cwd: folder.path('.'),
    });
    expect(stdout).toBe(toMermaid(DEFINITION));
  });
});

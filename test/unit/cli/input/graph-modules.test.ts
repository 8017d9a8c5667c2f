import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDefinition } from '../../../../src/cli/input/read-definition.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => await folder.remove());

const GRAPH = `{
  name: 'sum',
  channels: { total: {} },
  nodes: { add: { type: 'set', write: { total: 1 } } },
  edges: [{ from: '__start__', to: 'add' }, { from: 'add', to: '__end__' }],
}`;

const read = async (name: string, source: string) => await readDefinition(await folder.write(name, source));

describe('a module', () => {
  test.each([
    ['default.mjs', `export default ${GRAPH};`],
    ['named.mjs', `export const sum = ${GRAPH};\nexport const LIMIT = 3;`],
    ['built.mjs', `export const sum = { addNode() {}, toJSON: () => (${GRAPH}) };`],
    ['typed.mts', `interface Limit { euros: number }\nexport const sum = ${GRAPH};`],
  ])('the module %s exports a graph for the CLI', async (name, source) => {
    const { content } = await read(name, source);
    expect(content).toMatchObject({ definition: { name: 'sum', nodes: { add: { type: 'set' } } } });
  });

  test.each([
    ['none.mjs', 'export const LIMIT = 3;', { message: 'It exports no graph: a StateGraph or a definition', line: 1 }],
    [
      'several.mjs',
      `export const a = ${GRAPH}; export const b = ${GRAPH};`,
      { message: 'It exports several graphs: make one the default export', line: 1 },
    ],
    ['throws.mjs', "\n\nthrow new Error('no such node');", { message: 'no such node', line: 3 }],
  ])('the module %s exports no graph, and the error names the position', async (name, source, fault) => {
    const { content } = await read(name, source);
    expect(content).toMatchObject({ fault: { code: 'INVALID_MODULE', ...fault } });
  });

  test('a graph exported by a module is validated, with the locations of its issues', async () => {
    const file = await folder.write('wrong.mjs', `export default ${GRAPH.replace('total: 1', 'totl: 1')};`);
    const { code, stdout } = await holdfast(['validate', '--no-config', file]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${file}:4:41: error UNKNOWN_CHANNEL: No channel "totl" is declared.`);
  });

  test('a graph’s issues are located in the file after the import of its module', async () => {
    const moved =
      "import { readFileSync, writeFileSync } from 'node:fs';\nconst { pathname } = new URL(import.meta.url);";
    const move = "writeFileSync(pathname, `\\n\\n${readFileSync(pathname, 'utf8')}`);";
    const { locate } = await read('moved.mjs', `${moved}\n${move}\nexport default ${GRAPH};`);
    const issue = { code: 'UNKNOWN_NODE', severity: 'error', path: '/channels/total', message: '' };
    expect(locate(issue)).toMatchObject({ line: 8 });
  });
});

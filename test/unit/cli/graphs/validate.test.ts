import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import { listAt } from '../../../support/readers/json-at.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder } from '../../../support/servers/command-line.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(async () => {
  await folder.remove();
});

const CALLING = aDefinition({ nodes: { a: { type: 'tool', tool: 'charge', write: 'log' } } });
const NO_CONFIG = 'There is no configuration';

/** The printed issues, without the name of the file. */
const issuesIn = (stdout: string, file: string): string[] =>
  stdout.split('\n').flatMap((line) => (line.startsWith(file) ? [line.slice(file.length + 1)] : []));

describe('the command validate', () => {
  test('`validate` exits with 0 without issues', async () => {
    const file = await folder.write('good.json', aDefinition());
    expect(await holdfast(['validate', '--no-config', file])).toEqual({
      code: 0,
      stdout: '1 file: 0 errors, 0 warnings\n',
      stderr: expect.stringContaining(NO_CONFIG),
    });
  });

  test('`validate` prints the line and column of every issue, in order', async () => {
    const file = await folder.write(
      'bad.json',
      `{
  "name": "bad",
  "channels": { "log": {} },
  "nodes": { "a": { "type": "set",
      "write": { "logs": 1 } } },
  "edges": [{ "from": "__start__", "to": "a" },
    { "from": "a", "to": ["__end__", "b"] }]
}`,
    );
    const { code, stdout } = await holdfast(['validate', '--no-config', file]);
    expect(code).toBe(1);
    expect(issuesIn(stdout, file)).toEqual([
      '3:17: warning UNUSED_CHANNEL: Nothing writes or reads channel "log"',
      '5:18: error UNKNOWN_CHANNEL: No channel "logs" is declared. Did you mean "log"?',
      expect.stringMatching(/^7:38: error UNKNOWN_NODE: There is no node "b"/),
    ]);
    expect(stdout).toContain('\n    at /nodes/a/write/logs\n');
  });

  test('`validate` exits with 0 when there are only warnings', async () => {
    const file = await folder.write(
      'warned.json',
      aDefinition({ channels: { log: { reducer: 'append' }, spare: {} } }),
    );
    const { code, stdout } = await holdfast(['validate', '--no-config', file]);
    expect({ code, last: stdout.split('\n').at(-2) }).toEqual({ code: 0, last: '1 file: 0 errors, 1 warning' });
  });

  test.each([
    ['{ "nodes": {\n  "a": {},\n  "a": {} } }', '3:3', '/nodes/a'],
    ['{ "name": "x",\n "limits": { "maxSteps": 12345678901234567890 } }', '2:26', '/limits/maxSteps'],
  ])(
    '`validate` refuses a file that is ambiguous or would be changed by reading it: %j',
    async (text, place, pointer) => {
      const file = await folder.write('lossy.json', text);
      const { code, stdout } = await holdfast(['validate', '--no-config', file]);
      expect(code).toBe(1);
      expect(issuesIn(stdout, file)).toEqual([
        expect.stringMatching(new RegExp(`^${place}: error INVALID_JSON: .*${pointer}`)),
      ]);
    },
  );

  test('`validate` reads a file with a byte order mark', async () => {
    const file = await folder.write('marked.json', `\uFEFF${JSON.stringify(aDefinition())}`);
    expect(await holdfast(['validate', '--no-config', file])).toMatchObject({ code: 0 });
  });

  test.each([
    ['{ "name": "x",\n  oops }', '2:3'],
    ['{ "name": "x"', '1:14'],
    ['', '1:1'],
  ])('`validate` refuses %j as invalid JSON', async (text, place) => {
    const file = await folder.write('broken.json', text);
    const { code, stdout } = await holdfast(['validate', '--no-config', file]);
    expect({ code, issues: issuesIn(stdout, file) }).toEqual({
      code: 1,
      issues: [expect.stringMatching(`^${place}: error INVALID_JSON: `)],
    });
  });

  test('`validate` checks several files, and fails when one does', async () => {
    const files = [await folder.write('one.json', aDefinition()), await folder.write('two.json', { name: 'two' })];
    const { code, stdout } = await holdfast(['validate', '--no-config', ...files]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n2 files: \d+ errors?, \d+ warnings?\n$/);
  });

  test('`validate` prints JSON on request', async () => {
    const file = await folder.write('two.json', { ...aDefinition(), edges: [] });
    const { code, stdout } = await holdfast(['validate', '--no-config', '--json', file]);
    const printed = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(printed).toMatchObject({ configuration: null, files: [{ file, valid: false }] });
    expect(listAt(printed, '/files/0/issues')).toContainEqual(
      expect.objectContaining({ code: 'MISSING_ENTRY_POINT', path: '/edges', line: 8, column: 3 }),
    );
  });
});

describe('names in a validated definition', () => {
  test('`validate` does not check names of tools and models without a configuration', async () => {
    const file = await folder.write('calling.json', CALLING);
    expect(await holdfast(['validate', '--no-config', file])).toMatchObject({ code: 0 });
  });

  test('`validate` checks names of tools and models against a configuration', async () => {
    const file = await folder.write('calling.json', CALLING);
    const config = await folder.write('holdfast.config.json', {});
    const { code, stdout, stderr } = await holdfast(['validate', '--config', config, file]);
    expect({ code, issues: issuesIn(stdout, file) }).toEqual({
      code: 1,
      issues: [expect.stringMatching('UNKNOWN_TOOL: There is no tool "charge"')],
    });
    expect(stderr).toContain(config);
  });

  test('`validate` checks names against the configuration that the environment names', async () => {
    const file = await folder.write('calling.json', CALLING);
    const config = await folder.write('holdfast.config.json', {});
    expect(await holdfast(['validate', file], { HOLDFAST_CONFIG: config })).toMatchObject({ code: 1 });
  });

  test('`validate` warns of unknown node types without a configuration', async () => {
    const file = await folder.write('robot.json', { ...aDefinition(), nodes: { a: { type: 'robot' } } });
    const { code, stdout } = await holdfast(['validate', '--no-config', file]);
    expect(code).toBe(0);
    expect(stdout).toContain('warning UNKNOWN_NODE_TYPE');
    expect(stdout).toContain('unless code registers this type');
  });
});

describe('the command validate', () => {
  test.each<[string[], RegExp]>([
    [['validate'], /at least one file/],
    [['validate', '--strct', 'x.json'], /--strct/],
    [['validate', 'not-there.json'], /not-there\.json can't be read/],
    [['validate', '--config', 'not-there.json', 'x.json'], /not-there\.json/],
    [['validat'], /There is no command "validat"\. Did you mean "validate"\?/],
    [['diagram'], /one file/],
    [['diagram', '--format', 'svg', 'x.json'], /mermaid or plantuml, not "svg"/],
  ])('the CLI exits with 2 for the arguments %j of `validate`', async (args, message) => {
    const { code, stderr } = await holdfast(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('the command line', () => {
  test.each([[], ['--help'], ['validate', '--help'], ['diagram', '-h'], ['run', '--help']].map((args) => [args]))(
    'the CLI prints the help for %j',
    async (args) => {
      expect(await holdfast(args)).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: holdfast/), stderr: '' });
    },
  );

  test('the CLI prints the version for --version', async () => {
    expect(await holdfast(['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });
});

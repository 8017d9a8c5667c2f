import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder, CommandOutput } from '../../../support/servers/command-line.ts';

/* `holdfast eval` with data sets, offline. */

const GRAPH: GraphDefinition = {
  name: 'pay',
  channels: { euros: {}, receipt: {}, said: {} },
  input: ['euros'],
  output: ['receipt', 'said'],
  nodes: {
    pay: { type: 'tool', tool: 'pay', args: { euros: '{{ state.euros }}' }, write: { receipt: '{{ result.id }}' } },
    ask: { type: 'approval', title: 'Pay?', onReject: 'fail' },
    tell: { type: 'llm', prompt: 'Say it', write: { said: '{{ result.text }}' } },
  },
  edges: [
    { from: '__start__', branches: [{ when: 'state.euros > 100', to: 'ask' }, { to: 'pay' }] },
    { from: 'ask', to: 'pay' },
    { from: 'pay', to: 'tell' },
    { from: 'tell', to: '__end__' },
  ],
};

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
  await folder.write('graph.json', GRAPH);
});
afterAll(async () => await folder.remove());

const answers = {
  models: { default: [{ text: 'Paid', usage: { inputTokens: 5, outputTokens: 5 } }] },
  tools: { pay: [{ id: 'r1' }] },
};

async function evaluate(lines: readonly object[], ...flags: string[]): Promise<CommandOutput> {
  const file = await folder.write('cases.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return await holdfast(['eval', file, '--graph', folder.path('graph.json'), '--no-config', ...flags]);
}

const shownIn = ({ stdout }: CommandOutput): string => stdout.replaceAll(folder.path(''), '');

describe('a data set', () => {
  test('a case of `eval` passes by output, CEL, schema, path and cost', async () => {
    const expected = {
      output: { receipt: 'r1' },
      cel: ['result.said.startsWith("Pa")', 'run.tools == ["pay"] && state.euros == 5'],
      schema: { type: 'object', required: ['said'] },
      path: ['pay', 'tell'],
      maxCostUsd: 0,
    };
    const said = await evaluate([{ name: 'small', input: { euros: 5 }, answers, expect: expected }]);
    expect(said.code).toBe(0);
    expect(shownIn(said)).toBe('/cases.jsonl  small  pass\n1 of 1 passed\n');
  });

  test('`eval` reports every deviation of a case', async () => {
    const expected = {
      output: { receipt: 'r2' },
      cel: 'result.said == "x"',
      schema: { properties: { said: { type: 'number' } } },
      path: ['pay'],
    };
    const said = await evaluate([{ input: { euros: 5 }, answers, expect: expected }]);
    expect(said.code).toBe(1);
    expect(shownIn(said).split('\n').slice(1, -2)).toEqual([
      '    path/1 is "tell", expected missing',
      '    output/receipt is "r1", expected "r2"',
      expect.stringContaining('    output/said: '),
      '    result.said == "x" is false, expected true',
    ]);
  });

  test('a case of `eval` contains decisions of people', async () => {
    const decided = (decision: string) => ({ ...answers, decisions: [{ node: 'ask', decision, by: 'ann' }] });
    const said = await evaluate([
      { name: 'yes', input: { euros: 500 }, answers: decided('approve') },
      { name: 'no', input: { euros: 500 }, answers: decided('reject'), expect: { status: 'failed' } },
      { name: 'nobody', input: { euros: 500 }, answers, expect: { status: 'waiting', path: ['ask'] } },
    ]);
    expect(shownIn(said)).toContain('3 of 3 passed');
  });

  test('`eval` reports a missing answer of a case', async () => {
    const said = await evaluate([{ input: { euros: 5 }, answers: { tools: { pay: [] } } }, { input: { euros: 5 } }]);
    expect(said.code).toBe(1);
    expect(said.stdout).toContain('"pay" is called for the 1. time, and the case has 0 answers');
    expect(said.stdout).toContain('The node "pay" calls the tool "pay", and the test has no fake for it.');
  });

  test.each([
    ['a line that is no JSON', ['{'], 'cases.jsonl:1: '],
    ['an unknown field', ['', '{ "inputs": {} }'], 'cases.jsonl:2: '],
  ])('`eval` refuses a data set with %s, and names its location', async (_what, lines, message) => {
    const file = await folder.write('cases.jsonl', lines.join('\n'));
    const { code, stderr } = await holdfast(['eval', file, '--graph', folder.path('graph.json'), '--no-config']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('a report', () => {
  const cases = [
    { name: 'a "quoted" <case>', input: { euros: 5 }, answers, expect: { path: ['x'] } },
    { name: 'good', input: { euros: 5 }, answers },
  ];

  test('`eval` prints JSON with --reporter json', async () => {
    const { code, stdout } = await evaluate(cases, '--reporter', 'json');
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      report: {
        passed: false,
        results: [
          { name: 'a "quoted" <case>', passed: false },
          { name: 'good', passed: true },
        ],
      },
    });
  });

  test('`eval` writes JUnit into a file with --reporter junit', async () => {
    const out = folder.path('junit.xml');
    const { stdout } = await evaluate(cases, '--reporter', 'junit', '--out', out);
    const xml = await readFile(out, 'utf8');
    expect(stdout).toBe('');
    expect(xml).toContain('tests="2" failures="1">');
    expect(xml).toContain('name="a &quot;quoted&quot; &lt;case&gt;"');
    expect(xml).toContain('<failure message="path/0 is &quot;pay&quot;, expected &quot;x&quot;">');
  });
});

test.each([
  [[], 'eval takes at least one file'],
  [['a.json', '--reporter', 'tables'], 'There is no reporter "tables". Did you mean "table"?'],
  [['a.jsonl', '--no-config'], "a.jsonl can't be read"],
  [['--live', '--trials', '0'], 'eval takes at least one file'],
  [['a.json', '--trials', '5'], '--trials goes with --live only'],
  [['a.json', '--min-rate', '0'], '--min-rate goes with --live only'],
  [['a.json', '--live', '--outcome'], '--outcome goes without --live only'],
  [['a.json', '--live', '--config', 'c.json'], '--config goes without --live only'],
  [['a.json', '--live', '--no-config'], '--no-config goes without --live only'],
])('`eval` refuses the arguments %j', async (args, message) => {
  expect(await holdfast(['eval', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test.each(['', '\n \n'])('`eval` refuses a data set without cases, %j', async (text) => {
  const [full, empty] = [await folder.write('full.jsonl', '{}'), await folder.write('empty.jsonl', text)];
  const said = await holdfast(['eval', full, empty, '--graph', folder.path('graph.json'), '--no-config']);
  expect(said).toEqual({ code: 2, stdout: '', stderr: `holdfast: ${empty} has no cases\n` });
});

test('`eval` refuses a file that was not written by `promote`', async () => {
  const file = await folder.write('other.json', { holdfast: 2, recording: {} });
  const { code, stderr } = await holdfast(['eval', file, '--no-config']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('It is no recorded run') });
});

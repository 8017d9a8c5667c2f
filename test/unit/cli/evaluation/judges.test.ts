import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import { createFolder, holdfast } from '../../../support/servers/command-line.ts';
import type { Folder, CommandOutput } from '../../../support/servers/command-line.ts';

/* Judges and the comparison of two versions of a graph by `holdfast eval`, offline. */

const graphOf = (prompt: string): GraphDefinition => ({
  name: 'tell',
  channels: { order: {}, said: {} },
  input: ['order'],
  output: ['said'],
  nodes: { tell: { type: 'llm', prompt, write: { said: '{{ result.text }}' } } },
  edges: [{ from: '__start__', to: 'tell' }],
});

const asking: GraphDefinition = {
  ...graphOf('Say it'),
  nodes: { ask: { type: 'approval', title: 'Say it?' }, ...graphOf('Say it').nodes },
  edges: [
    { from: '__start__', to: 'ask' },
    { from: 'ask', to: 'tell' },
  ],
};

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
  await folder.write('graph.json', graphOf('Say it'));
  await folder.write('asking.json', asking);
});
afterAll(async () => await folder.remove());

const answers = { models: { default: [{ text: 'Paid', usage: { inputTokens: 5, outputTokens: 5 } }] } };
const judge = { name: 'polite', model: 'judge', prompt: 'Is it polite?', scale: [1, 5], atLeast: 4 };
const scored = (score: number, usage = { inputTokens: 100, outputTokens: 20 }) => ({
  json: { reason: 'so it is', score },
  usage,
});

async function evaluate(lines: readonly object[], ...flags: string[]): Promise<CommandOutput> {
  const file = await folder.write('cases.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return await holdfast(['eval', file, '--graph', folder.path('graph.json'), '--no-config', ...flags]);
}

const linesOf = ({ stdout }: CommandOutput): readonly string[] =>
  stdout.replaceAll(folder.path(''), '').split('\n').slice(1, -2);

interface JudgedCase {
  readonly what: string;
  readonly judges: readonly object[];
  readonly code: number;
  readonly lines: readonly unknown[];
}

describe('a judge of a case', () => {
  test.each<JudgedCase>([
    {
      what: 'with a score of at least 4',
      judges: [scored(4)],
      code: 0,
      lines: ['    the judge "polite": 4.00 of 1 to 5'],
    },
    {
      what: 'with a lower score',
      judges: [scored(3)],
      code: 1,
      lines: ['    the judge "polite" gave 3 of 1 to 5: so it is', '    the judge "polite": 3.00 of 1 to 5'],
    },
    {
      what: 'whose model fails',
      judges: [{ error: 'overloaded' }],
      code: 1,
      lines: ['    the judge "polite" gave no score: MODEL_FAILED overloaded'],
    },
    {
      what: 'whose score is not within the scale',
      judges: [scored(9)],
      code: 1,
      lines: [expect.stringMatching(/^ {4}the judge "polite" gave no score: /)],
    },
    {
      what: 'that says no score',
      judges: [{ text: 'Give it 5' }],
      code: 1,
      lines: [expect.stringMatching(/^ {4}the judge "polite" gave no score: /)],
    },
    {
      what: 'without an answer',
      judges: [],
      code: 1,
      lines: [
        '    the judge "polite" gave no score: the case has no answer for it in answers.judges; with --live its model is asked',
      ],
    },
  ])('a judge $what', async ({ judges, code, lines }) => {
    const said = await evaluate([{ input: { order: 'A-1' }, answers: { ...answers, judges }, expect: { judge } }]);
    expect({ code: said.code, lines: linesOf(said) }).toEqual({ code, lines });
  });

  test('a judge is not asked about a run with another status than expected', async () => {
    const expected = { judge, status: 'failed' };
    const said = await evaluate([{ answers: { ...answers, judges: [scored(5)] }, expect: expected }]);
    expect(linesOf(said)).toEqual(['    the run is completed, expected failed']);
  });

  test('each judge has its own answer, and its tokens count apart from those of the run', async () => {
    const strict = { ...judge, name: 'strict', scale: [0, 1], atLeast: undefined };
    const line = { answers: { ...answers, judges: [scored(4), scored(1)] }, expect: { judge: [judge, strict] } };
    const { stdout } = await evaluate([line], '--reporter', 'json');
    const report: unknown = JSON.parse(stdout);
    expect(isJsonObject(report) && report['results']).toMatchObject([
      {
        passed: true,
        measures: {
          tokens: 10,
          judging: { tokens: 240, costUsd: 0 },
          scores: [
            { judge: 'polite', mean: 4, verdicts: 1 },
            { judge: 'strict', mean: 1, scale: [0, 1] },
          ],
        },
      },
    ]);
  });

  test.each([
    [{ ...judge, scale: [5, 1] }, 'the first is below the second'],
    [{ ...judge, atLeast: 6 }, 'is within the scale'],
    [{ model: 'judge' }, 'prompt'],
  ])('a judge that can not be is refused: %j', async (given, message) => {
    expect(await evaluate([{ expect: { judge: given } }])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe('two versions of a graph', () => {
  const cases = [
    { name: 'one', answers, expect: {} },
    { name: 'two', answers, expect: { status: 'waiting' } },
  ];

  test('--against tells in which cases the graph is better and worse, with cost and latency of both', async () => {
    const said = await evaluate(cases, '--against', folder.path('asking.json'));
    expect(said.code).toBe(1);
    expect(linesOf(said).slice(1)).toEqual([
      '    the run is completed, expected waiting',
      '1 of 2 passed',
      '/graph.json against /asking.json: 1 better, 1 worse, 0 the same; better in 1 of 2, 50% [9%, 91%] of those that differ',
      '    better: one',
      '    worse: two',
      '    /graph.json: 1 of 2 passed, 0 USD, 20 tokens, 0.00 s (median)',
    ]);
    expect(said.stdout).toContain('asking.json: 1 of 2 passed, 0 USD, 0 tokens, 0.00 s (median)');
  });

  test('versions that pass the same cases are the same', async () => {
    const { stdout } = await evaluate([{ answers }], '--against', folder.path('graph.json'));
    expect(stdout).toContain('0 better, 0 worse, 1 the same\n');
  });

  test('--against refuses a recorded run', async () => {
    const graph = folder.path('graph.json');
    const { code, stderr } = await holdfast(['eval', graph, '--graph', graph, '--against', graph, '--no-config']);
    expect({ code, stderr }).toMatchObject({ code: 2 });
  });
});

test('--junit and --markdown write files beside the report', async () => {
  const [junit, markdown] = [folder.path('junit.xml'), folder.path('report.md')];
  const line = { name: 'a | <b>', answers: { ...answers, judges: [scored(2)] }, expect: { judge } };
  const { stdout } = await evaluate([line], '--junit', junit, '--markdown', markdown);
  expect(stdout).toContain('0 of 1 passed');
  expect(await readFile(junit, 'utf8')).toContain(
    '<failure message="the judge &quot;polite&quot; gave 2 of 1 to 5: so it is">',
  );
  expect((await readFile(markdown, 'utf8')).split('\n').slice(0, 3)).toEqual([
    '| case | result | rate (95%, Wilson) | cost, tokens, latency | details |',
    '| --- | --- | --- | --- | --- |',
    String.raw`| a \| &lt;b&gt; | **FAIL** |  | 0 USD, 10 tokens, 0.00 s | the judge "polite" gave 2 of 1 to 5: so it is<br>the judge "polite": 2.00 of 1 to 5 |`,
  ]);
});

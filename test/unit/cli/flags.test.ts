import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { holdfast } from '../../support/servers/command-line.ts';

describe('a wrong flag', () => {
  test.each<[string[], string]>([
    [['run', 'g.json', '--inptu', '{}'], 'There is no flag "--inptu". Did you mean "--input"? See holdfast help run'],
    [['run', '--inptu={}', 'g.json'], 'There is no flag "--inptu". Did you mean "--input"? See holdfast help run'],
    [
      ['approvals', '--stauts', 'x'],
      'There is no flag "--stauts". Did you mean "--status"? See holdfast help approvals',
    ],
    [['runs', '-x'], 'There is no flag "-x". See holdfast help runs'],
    [['runs', '--whatever'], 'There is no flag "--whatever". See holdfast help runs'],
    [['runs', '--graph'], '--graph takes a value: --graph NAME. See holdfast help runs'],
    [
      ['run', 'g.json', '--input', '-1'],
      '--input takes a value, and "-1" looks like a flag: for this value write --input=-1. See holdfast help run',
    ],
    [['runs', '--json=yes'], '--json takes no value. See holdfast help runs'],
  ])('the command line %j is refused with a hint', async (args, message) => {
    expect(await holdfast(args)).toEqual({ code: 2, stdout: '', stderr: `holdfast: ${message}\n` });
  });
});

test.each<[string[], RegExp]>([
  [['runs', '--status', 'faild'], /--status takes .*, not "faild"\. Did you mean "failed"\?/],
  [['approvals', '--status', 'pendig'], /--status takes .*, not "pendig"\. Did you mean "pending"\?/],
  [['diagram', 'g.json', '--format', 'mermiad'], /--format takes .*, not "mermiad"\. Did you mean "mermaid"\?/],
  [['calls', 'R', '--kind', 'modle'], /--kind takes .*, not "modle"\. Did you mean "model"\?/],
  [['logs', '--level', 'wran'], /--level takes .*, not "wran"\. Did you mean "warn"\?/],
  [['schedules', 'puase', 'S'], /schedules takes .*, not "puase"\. Did you mean "pause"\?/],
  [['init', 'x', '--template', 'refnd'], /Did you mean "refund"\?/],
])('the command line %j with a misspelled value is refused with a hint', async (args, message) => {
  expect(await holdfast(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

/** Commands that print no results, and commands whose results have a format of their own. */
const WITHOUT_JSON: ReadonlySet<string> = new Set(['api', 'worker', 'dev', 'diagram', 'mcp', 'eval', 'promote']);

test.each([...COMMANDS.values()].filter(({ name }) => !WITHOUT_JSON.has(name)))(
  'the command $name prints its results as JSON on request',
  ({ flags }) => {
    expect(flags).toHaveProperty('json');
  },
);

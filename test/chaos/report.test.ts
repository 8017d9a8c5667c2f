import { expect, test } from 'vitest';
import type { InjectedFault } from './faults.ts';
import type { ChaosReport } from './play-chaos.ts';
import { describeFault, describeReport } from './report.ts';

const aFault = (victim: string, faultKind: InjectedFault['faultKind']): InjectedFault => ({
  victim,
  faultKind,
  atMs: 12_345,
  lastsMs: 1_500,
});

const REPORT: ChaosReport = {
  injected: [
    aFault('worker 1', 'killed'),
    aFault('temporal', 'stopped'),
    aFault('worker 1', 'restarted'),
    aFault('worker 1', 'killed'),
    aFault('postgres', 'restarted'),
  ],
  ownEnds: 3,
  calls: 41,
  answers: new Map([
    ['none', 2],
    ['201', 5],
  ]),
  actions: new Map([
    ['signal', 4],
    ['approve refused', 1],
  ]),
  queries: 12,
  continued: 7,
  replays: { replayed: 9, bundle: 'bf3d6a91e4af' },
  verdicts: [],
};
const withVerdicts = (...findings: readonly (readonly string[])[]): readonly string[] =>
  describeReport({ ...REPORT, verdicts: findings.map((findings, at) => ({ about: `job-${at + 1}`, findings })) });

test.each([
  ['0 passed, 0 failed', []],
  ['2 passed, 0 failed', [[], []]],
  ['0 passed, 1 failed', [['lost']]],
  ['1 passed, 2 failed', [['lost', 'done twice'], [], ['lost']]],
])('the last line of a chaos report is "%s"', (line, findings) => {
  const lines = withVerdicts(...findings);
  expect(lines.at(-1)).toBe(line);
  expect(lines.filter((other) => /\d+ passed/.test(other))).toEqual([line]);
});

test('a chaos report lists failed runs with all findings, and omits passed runs', () => {
  const lines = withVerdicts(['lost', 'done twice'], [], ['late']);
  expect(lines.slice(lines.indexOf('job-1'))).toEqual([
    'job-1',
    '  lost',
    '  done twice',
    'job-3',
    '  late',
    '1 passed, 2 failed',
  ]);
  expect(lines).not.toContain('job-2');
});

test('a chaos report counts the injected faults by process and kind', () => {
  expect(withVerdicts([])).toEqual([
    '',
    'postgres: 0 killed, 0 stopped, 1 restarted',
    'temporal: 0 killed, 1 stopped, 0 restarted',
    'worker 1: 2 killed, 0 stopped, 1 restarted',
    'ended by themselves and started again: 3',
    'calls of the third party: 41',
    'answers of the API: 201 5, none 2',
    'done by people: approve refused 1, signal 4',
    "queries by Temporal's tools: 12",
    'runs that went on as new executions: 7',
    'histories replayed: 9, by workflow code bf3d6a91e4af',
    '',
    '1 passed, 0 failed',
  ]);
});

test('a chaos report describes an injected fault with its time and duration', () => {
  expect(describeFault(aFault('worker 1', 'killed'))).toBe('  12.3 s  worker 1 killed for 1.5 s');
  expect(describeFault(aFault('api 2', 'restarted'))).toBe('  12.3 s  api 2 restarted');
});

import { describe, expect, test } from 'vitest';
import { endOfProcess, judgeExecution } from '../../../../src/workers/workflow-process/process-end.ts';
import type { EndKind, ExecutionVerdict } from '../../../../src/workers/workflow-process/process-end.ts';

test.each<[number | null, NodeJS.Signals | null, EndKind, string]>([
  [null, 'SIGABRT', 'crashed', 'it was aborted, as it is when its memory is used up'],
  [134, null, 'crashed', 'it was aborted, as it is when its memory is used up'],
  [null, 'SIGSEGV', 'crashed', 'it was ended by SIGSEGV'],
  [139, null, 'crashed', 'it was ended by SIGSEGV'],
  [null, 'SIGTRAP', 'crashed', 'it was ended by SIGTRAP'],
  [null, 'SIGILL', 'crashed', 'it was ended by SIGILL'],
  [null, 'SIGFPE', 'crashed', 'it was ended by SIGFPE'],
  [null, 'SIGKILL', 'ended', 'it was ended by SIGKILL'],
  [137, null, 'ended', 'it exited with code 137'],
  [null, 'SIGTERM', 'ended', 'it was ended by SIGTERM'],
  [null, 'SIGHUP', 'ended', 'it was ended by SIGHUP'],
  [null, 'SIGQUIT', 'ended', 'it was ended by SIGQUIT'],
  [null, 'SIGXCPU', 'ended', 'it was ended by SIGXCPU'],
  [null, 'SIGBUS', 'ended', 'it was ended by SIGBUS'],
  [0, null, 'ended', 'it exited with code 0'],
  [1, null, 'ended', 'it exited with code 1'],
  [128, null, 'ended', 'it exited with code 128'],
])('exit code %j and signal %j mean: %s', (...[exitCode, signalCode, kind, how]) => {
  expect(endOfProcess(exitCode, signalCode)).toEqual({ kind, how });
});

describe('the verdict on an execution after the ends of its processes is', () => {
  const MANY = 100;
  /** Upper case: it was alone. */
  const ENDS: Readonly<Record<string, EndKind>> = { c: 'crashed', l: 'late', b: 'busy', e: 'ended' };
  const ends = (story: string) =>
    (story.match(/\w/g) ?? []).map((each) => ({
      kind: ENDS[each.toLowerCase()] ?? 'ended',
      wasAlone: each !== each.toLowerCase(),
    }));

  test.each<[string, ExecutionVerdict]>([
    ['', 'sound'],
    ['e', 'suspect'],
    ['b', 'suspect'],
    ['c', 'suspect'],
    ['l', 'suspect'],
    ['c c c c l l l l', 'suspect'],
    ['e '.repeat(MANY), 'suspect'],
    ['E '.repeat(MANY), 'suspect'],
    ['B '.repeat(MANY), 'suspect'],
    ['e E b B '.repeat(MANY), 'suspect'],
    ['C', 'suspect'],
    ['L', 'suspect'],
    ['c C', 'suspect'],
    ['c E E E C', 'suspect'],
    ['l L E B E', 'suspect'],
    ['C C', 'guilty'],
    ['L L', 'guilty'],
    ['C L', 'guilty'],
    ['c C C', 'guilty'],
    ['e C E B L', 'guilty'],
  ])('%j: %s', (story, verdict) => expect(judgeExecution(ends(story))).toBe(verdict));
});

import { describe, expect, test } from 'vitest';
import { createExclusiveProcesses } from '../../../../src/workers/workflow-process/exclusive-processes.ts';
import type { ProcessRequestBody } from '../../../../src/workers/workflow-process/messages.ts';
import { ProcessEnded } from '../../../../src/workers/workflow-process/pending-requests.ts';
import type { EndKind } from '../../../../src/workers/workflow-process/process-end.ts';
import { createRestartableExecution } from '../../../../src/workers/workflow-process/restartable-execution.ts';
import type { WorkflowProcess } from '../../../../src/workers/workflow-process/start-workflow-process.ts';

const request = (executionRunId: string): ProcessRequestBody => ({ kind: 'dispose', executionRunId });

interface End {
  /** It ends at its nth request; 0: before it is ready. */
  readonly at: number;
  readonly kind?: EndKind;
  /** It ended while it was at this execution. */
  readonly wasExecuting?: boolean;
}

/** Processes in a row, with their ends. */
function processes(ends: readonly End[], isSuspect = false) {
  const asked: string[][] = [];
  const failed: string[] = [];
  const stopped: number[] = [];
  const next = (): WorkflowProcess => {
    const own: string[] = [];
    const number = asked.push(own);
    const { at, kind = 'ended', wasExecuting = false } = ends[number - 1] ?? { at: Infinity };
    const ended = (isAtWork: boolean) => new ProcessEnded({ kind, how: 'it burnt' }, isAtWork);
    if (at === 0) throw ended(false);
    return {
      hasEnded: false,
      stop: async () => void stopped.push(number),
      async request(body) {
        if (own.length === at) throw ended(false);
        own.push(body.kind === 'dispose' ? body.executionRunId : body.kind);
        if (own.length === at) throw ended(wasExecuting);
        return { kind: 'done' };
      },
    };
  };
  const exclusives = createExclusiveProcesses(async () => {
    const process = next();
    asked.at(-1)?.push('alone');
    return process;
  });
  const code = createRestartableExecution(
    { begin: request('begin'), isSuspect },
    {
      shared: async () => next(),
      exclusive: () => exclusives.acquire(),
      failed: (how, verdict) => void failed.push(`${verdict}: ${how}`),
    },
  );
  return { asked, failed, stopped, code };
}

describe('when a process ends while it executes another execution', () => {
  test('a replayed execution restarts in the next process, and again in the one after it', async () => {
    const { asked, failed, code } = processes([{ at: 4 }, { at: 0 }, { at: 3 }]);
    for (const name of ['a', 'b', 'c']) await code.send(request(name), true);
    await code.send(request('d'), false);
    expect(asked).toEqual([['begin', 'a', 'b', 'c'], [], ['begin', 'a', 'b'], ['begin', 'a', 'b', 'c', 'd']]);
    expect(failed).toEqual([]);
  });

  test.each([true, false])('an execution that is beyond its history fails (in its own task: %s)', async (isTask) => {
    const { asked, failed, code } = processes([{ at: 4 }]);
    await code.send(request('a'), true);
    await code.send(request(isTask ? 'task' : 'query'), false);
    await expect(code.send(request('c'), false)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([1, []]);
  });

  test('a task fails after five processes', async () => {
    const { asked, failed, code } = processes(Array.from({ length: 9 }, () => ({ at: 1 })));
    await expect(code.send(request('a'), true)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([5, []]);
  });
});

test('a replayed run keeps no queries, and starts no other process for them', async () => {
  const { asked, code } = processes([{ at: 5_003 }]);
  await code.send(request('replay'), true);
  for (let count = 0; count < 5_000; count += 1) await code.send(request('query'), false);
  await expect(code.send(request('query'), false)).rejects.toThrow('it burnt');
  expect(asked.length).toBe(1);
});

describe('when a process ends while it executes the execution', () => {
  const killed: End = { at: 3, wasExecuting: true };
  const crashed: End = { at: 2, wasExecuting: true, kind: 'crashed' };
  const crashedAlone: End = { ...crashed, at: 4 };

  test('the execution gets an exclusive process for one task', async () => {
    const { asked, failed, stopped, code } = processes([killed]);
    await code.send(request('a'), true);
    await code.send(request('b'), false);
    expect(asked).toEqual([
      ['begin', 'a', 'b'],
      ['alone', 'begin', 'a', 'b'],
    ]);
    await code.leaveExclusiveProcess();
    expect([await code.send(request('c'), false), failed, stopped]).toEqual([{ kind: 'forgotten' }, [], [2]]);
  });

  test('the task of an execution beyond its history fails, and the execution is a suspect', async () => {
    const { asked, failed, code } = processes([killed]);
    await code.send(request('a'), false);
    await expect(code.send(request('b'), false)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([1, [expect.stringMatching(/^suspect: .*it burnt/)]]);
  });

  test('a suspect gets an exclusive process from the start', async () => {
    const { asked, code } = processes([], true);
    await code.send(request('a'), false);
    expect(asked).toEqual([['alone', 'begin', 'a']]);
  });

  test.each<[string, readonly End[], number, RegExp]>([
    [
      'is to blame when it crashes two processes alone',
      [crashed, crashedAlone, crashedAlone],
      3,
      /^guilty: .*it burnt/,
    ],
    [
      'is to blame when it crashes two, whatever else ends others',
      [killed, { ...killed, at: 4 }, crashedAlone, { at: 0 }, { ...crashedAlone, kind: 'late' }],
      5,
      /^guilty/,
    ],
    [
      'stays a suspect whose processes are killed',
      Array.from({ length: 9 }, (_, at) => ({ ...killed, at: at === 0 ? 3 : 4 })),
      5,
      /^suspect/,
    ],
    ['waits for the next attempt when the machine is too busy', [{ ...killed, kind: 'busy' }], 1, /^suspect/],
  ])('%s', async (...[, ends, tries, told]) => {
    const { asked, failed, stopped, code } = processes(ends);
    const all = async () => {
      for (const name of ['a', 'b']) await code.send(request(name), true);
    };
    await expect(all()).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([tries, [expect.stringMatching(told)]]);
    await code.sendLast(request('dispose'));
    expect(stopped.length).toBe(asked.filter(([first]) => first === 'alone').length);
  });
});

test('only one exclusive process exists at a time', async () => {
  const started: string[] = [];
  const process = (): WorkflowProcess => ({
    hasEnded: false,
    request: async () => ({ kind: 'done' }),
    stop: async () => void started.push('stopped'),
  });
  const exclusives = createExclusiveProcesses(async () => {
    started.push('started');
    return process();
  });
  const first = await exclusives.acquire();
  const second = exclusives.acquire().then(async (own) => await own.restart());
  await first.restart();
  await first.restart();
  expect(started).toEqual(['started', 'stopped', 'started']);
  await first.release();
  await second;
  expect(started).toEqual(['started', 'stopped', 'started', 'stopped', 'started']);
});

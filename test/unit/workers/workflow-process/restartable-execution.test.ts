import { describe, expect, test } from 'vitest';
import { createCells } from '../../../../src/workers/workflow-process/cells.ts';
import type { RequestBody } from '../../../../src/workers/workflow-process/messages.ts';
import { ProcessEnded } from '../../../../src/workers/workflow-process/pending-requests.ts';
import type { EndKind } from '../../../../src/workers/workflow-process/process-end.ts';
import { createRestartableExecution } from '../../../../src/workers/workflow-process/restartable-execution.ts';
import type { WorkflowProcess } from '../../../../src/workers/workflow-process/start-workflow-process.ts';

const request = (executionRunId: string): RequestBody => ({ kind: 'dispose', executionRunId });

interface End {
  /** It ends at its nth request; 0: before it is ready. */
  readonly at: number;
  readonly kind?: EndKind;
  /** It ended while it was at this execution. */
  readonly wasAtWork?: boolean;
}

/** Processes in a row, with their ends. */
function processes(ends: readonly End[], isSuspect = false) {
  const asked: string[][] = [];
  const failed: string[] = [];
  const stopped: number[] = [];
  const next = (): WorkflowProcess => {
    const own: string[] = [];
    const number = asked.push(own);
    const { at, kind = 'ended', wasAtWork = false } = ends[number - 1] ?? { at: Infinity };
    const ended = (isAtWork: boolean) => new ProcessEnded({ kind, how: 'it burnt' }, isAtWork);
    if (at === 0) throw ended(false);
    return {
      hasEnded: false,
      stop: async () => void stopped.push(number),
      async ask(body) {
        if (own.length === at) throw ended(false);
        own.push(body.kind === 'dispose' ? body.executionRunId : body.kind);
        if (own.length === at) throw ended(wasAtWork);
        return { kind: 'done' };
      },
    };
  };
  const cells = createCells(async () => {
    const process = next();
    asked.at(-1)?.push('alone');
    return process;
  });
  const code = createRestartableExecution(
    { begin: request('begin'), isSuspect },
    {
      shared: async () => next(),
      alone: () => cells.enter(),
      failed: (how, verdict) => void failed.push(`${verdict}: ${how}`),
    },
  );
  return { asked, failed, stopped, code };
}

describe('when the process was at another execution as it ended', () => {
  test('what is replayed begins again in the next one, and so on', async () => {
    const { asked, failed, code } = processes([{ at: 4 }, { at: 0 }, { at: 3 }]);
    for (const name of ['a', 'b', 'c']) await code.ask(request(name), true);
    await code.ask(request('d'), false);
    expect(asked).toEqual([['begin', 'a', 'b', 'c'], [], ['begin', 'a', 'b'], ['begin', 'a', 'b', 'c', 'd']]);
    expect(failed).toEqual([]);
  });

  test.each([true, false])('what is beyond its history fails (by a task of its own: %s)', async (isTask) => {
    const { asked, failed, code } = processes([{ at: 4 }]);
    await code.ask(request('a'), true);
    await code.ask(request(isTask ? 'task' : 'query'), false);
    await expect(code.ask(request('c'), false)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([1, []]);
  });

  test('five times in a row, it fails', async () => {
    const { asked, failed, code } = processes(Array.from({ length: 9 }, () => ({ at: 1 })));
    await expect(code.ask(request('a'), true)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([5, []]);
  });
});

test('a run that was replayed and is only asked keeps nothing, and asks no process again', async () => {
  const { asked, code } = processes([{ at: 5_003 }]);
  await code.ask(request('replay'), true);
  for (let count = 0; count < 5_000; count += 1) await code.ask(request('query'), false);
  await expect(code.ask(request('query'), false)).rejects.toThrow('it burnt');
  expect(asked.length).toBe(1);
});

describe('when the process was at the execution as it ended', () => {
  const killed: End = { at: 3, wasAtWork: true };
  const crashed: End = { at: 2, wasAtWork: true, kind: 'crashed' };
  const crashedAlone: End = { ...crashed, at: 4 };

  test('it is tried alone, and is not alone for ever', async () => {
    const { asked, failed, stopped, code } = processes([killed]);
    await code.ask(request('a'), true);
    await code.ask(request('b'), false);
    expect(asked).toEqual([
      ['begin', 'a', 'b'],
      ['alone', 'begin', 'a', 'b'],
    ]);
    await code.leaveCell();
    expect([await code.ask(request('c'), false), failed, stopped]).toEqual([{ kind: 'forgotten' }, [], [2]]);
  });

  test('beyond its history, its task fails, and it is no more than a suspect', async () => {
    const { asked, failed, code } = processes([killed]);
    await code.ask(request('a'), false);
    await expect(code.ask(request('b'), false)).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([1, [expect.stringMatching(/^suspect: .*it burnt/)]]);
  });

  test('a suspect is tried alone from the first', async () => {
    const { asked, code } = processes([], true);
    await code.ask(request('a'), false);
    expect(asked).toEqual([['alone', 'begin', 'a']]);
  });

  test.each<[string, readonly End[], number, RegExp]>([
    [
      'is to blame when it crashes two processes alone',
      [crashed, crashedAlone, crashedAlone],
      3,
      /^to-blame: .*it burnt/,
    ],
    [
      'is to blame when it crashes two, whatever else ends others',
      [killed, { ...killed, at: 4 }, crashedAlone, { at: 0 }, { ...crashedAlone, kind: 'late' }],
      5,
      /^to-blame/,
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
      for (const name of ['a', 'b']) await code.ask(request(name), true);
    };
    await expect(all()).rejects.toThrow('it burnt');
    expect([asked.length, failed]).toEqual([tries, [expect.stringMatching(told)]]);
    await code.askLast(request('dispose'));
    expect(stopped.length).toBe(asked.filter(([first]) => first === 'alone').length);
  });
});

test('cells are taken one after the other', async () => {
  const started: string[] = [];
  const process = (): WorkflowProcess => ({
    hasEnded: false,
    ask: async () => ({ kind: 'done' }),
    stop: async () => void started.push('stopped'),
  });
  const cells = createCells(async () => {
    started.push('started');
    return process();
  });
  const first = await cells.enter();
  const second = cells.enter().then(async (cell) => await cell.fresh());
  await first.fresh();
  await first.fresh();
  expect(started).toEqual(['started', 'stopped', 'started']);
  await first.leave();
  await second;
  expect(started).toEqual(['started', 'stopped', 'started', 'stopped', 'started']);
});

import type { Info } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallTask } from '../../../../src/activities/calls/call-task.ts';
import type { ToolCallRequest } from '../../../../src/graph/run/effect.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { aJournalBatch, aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import {
  anActivity,
  answers,
  createAttempt,
  failureOf,
  held,
  returns,
  scriptedTool,
} from '../../../support/doubles/scripted-tool.ts';
import type { ScriptedTool } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/*
 * The first attempt of an idempotent call does not claim it: its end is its only write. Later attempts claim as usual.
 */

const store = await useMemoryStore();
afterEach(() => void vi.restoreAllMocks());

const attempt = createAttempt(() => store);

/** An activity that starts as soon as it is scheduled. */
const anAttempt = (number = 1, over: Partial<Info> = {}) =>
  anActivity({ attempt: number, currentAttemptScheduledTimestampMs: Date.now(), ...over });

let tasks = 0;
/** A call without an entry in the ledger, in its own run. */
function aNewTask(over: Partial<CallTask<ToolCallRequest>> = {}): CallTask<ToolCallRequest> {
  const runId = `unclaimed-${++tasks}`;
  return aTask({ key: `${runId}.pay`, runId, request: aToolRequest({ effect: 'idempotent' }), ...over });
}

const withJournal = () => aNewTask({ journal: aJournalBatch() });
const numbersOf = async ({ runId }: CallTask): Promise<number[]> =>
  (await store.journal.events(runId, 0, 10)).map(({ seq }) => seq);

/** A tool that is idempotent in the worker's configuration. */
function idempotent(...script: Parameters<typeof scriptedTool>): ScriptedTool {
  const { tool, calls } = scriptedTool(...script);
  return { tool: { ...tool, effect: 'idempotent' }, calls };
}

/** The row of a call. */
async function rowOf({ key }: CallTask): Promise<unknown> {
  const { rows } = await store.database.query('select status, failures, result from ledger where key = $1', [key]);
  return rows[0];
}

const keysOf = ({ calls }: ScriptedTool) => new Set(calls.map(({ key }) => key)).size;

describe('the first attempt of an idempotent call', () => {
  test('the first attempt of an idempotent call writes no claim, and records its result and the journal in one write', async () => {
    const spies = [vi.spyOn(store.ledger, 'claim'), vi.spyOn(store.ledger, 'complete')];
    const written = vi.spyOn(store.ledger, 'settle');
    const journalist = vi.spyOn(store.journal, 'write');
    const task = withJournal();
    expect(await attempt(idempotent(returns('paid')), task, anAttempt())).toMatchObject({ attempts: 1 });
    expect([...spies, written, journalist].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1, 0]);
    expect(await rowOf(task)).toEqual({ status: 'completed', failures: 0, result: { kind: 'value', value: 'paid' } });
    expect(await numbersOf(task)).toEqual([1]);
  });

  test('the first attempt of an idempotent call leaves its result to a later attempt, which returns it without a call', async () => {
    const [task, tool] = [aNewTask(), idempotent(returns('paid'))];
    await attempt(tool, task, anAttempt());
    expect(await attempt(tool, task, anAttempt(2))).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
    expect(tool.calls).toHaveLength(1);
  });

  test('a failed first attempt of an idempotent call is counted by the next attempt', async () => {
    const [task, tool] = [aNewTask(), idempotent(answers(503), returns('paid'))];
    expect(await failureOf(attempt(tool, task, anAttempt()))).toMatchObject({ nonRetryable: false });
    expect(await rowOf(task)).toMatchObject({ status: 'retrying', failures: 1 });
    expect(await attempt(tool, task, anAttempt(2))).toMatchObject({ reply: { value: 'paid' }, attempts: 2 });
    expect(await rowOf(task)).toMatchObject({ status: 'completed', failures: 1 });
  });

  test('an idempotent call that fails permanently at its first attempt is recorded as known to have failed', async () => {
    const [task, tool] = [withJournal(), idempotent(answers(400))];
    const first = await failureOf(attempt(tool, task, anAttempt()));
    expect(first).toMatchObject({ nonRetryable: true, details: [{ callFailed: true }] });
    expect((await failureOf(attempt(tool, task, anAttempt(2)))).details).toEqual(first.details);
    expect([tool.calls.length, await numbersOf(task)]).toEqual([1, [1]]);
  });

  test('an idempotent call that the run has canceled is recorded', async () => {
    const [task, activity, { step, begun }] = [aNewTask(), anAttempt(), held()];
    const canceled = attempt(idempotent(step), task, activity);
    await begun;
    activity.cancel();
    await expect(canceled).rejects.toThrow('The call was canceled');
    expect(await rowOf(task)).toMatchObject({ status: 'failed' });
  });

  test('the first activity attempt of an idempotent call continues the count of local attempts', async () => {
    const failure = { callFailed: false, error: { code: 'TOOL_FAILED', message: 'no', attempts: 3 } } as const;
    const task = aNewTask({ failedLocally: { failures: 3, failure, nextAttemptAt: new Date().toISOString() } });
    const tool = idempotent(returns('paid'));
    expect(await failureOf(attempt(tool, task, anAttempt()))).toMatchObject({ details: [failure] });
    expect(await attempt(tool, task, anAttempt(2))).toMatchObject({ reply: { value: 'paid' }, attempts: 4 });
  });
});

describe('a call whose attempt was lost', () => {
  /** Starts the first attempt, which makes the call and does not end. */
  async function begin(tool: ScriptedTool, task: CallTask<ToolCallRequest>, begun: Promise<unknown>) {
    const first = attempt(tool, task, anAttempt());
    await begun;
    return { first, laterOn: Date.now() + 1_000 };
  }

  test('a call whose attempt was lost is made again under its key, and a late result of the lost attempt changes nothing', async () => {
    const [task, { step, begun, letGo }] = [aNewTask(), held()];
    const tool = idempotent(step, returns('again'));
    const { first, laterOn } = await begin(tool, task, begun);
    const second = attempt(tool, task, anAttempt(2, { currentAttemptScheduledTimestampMs: laterOn }));
    expect(await second).toMatchObject({ reply: { value: 'again' }, attempts: 1 });
    letGo('late');
    expect(await first).toMatchObject({ reply: { value: 'again' } });
    expect(await attempt(tool, task, anAttempt(3))).toMatchObject({ reply: { value: 'again' } });
    expect([tool.calls.length, keysOf(tool)]).toEqual([2, 1]);
  });

  test('a call whose attempt was lost is recorded by the attempt that has claimed it, not by a lost one that completes', async () => {
    const [task, early, late] = [aNewTask(), held(), held()];
    const tool = idempotent(early.step, late.step);
    const { first, laterOn } = await begin(tool, task, early.begun);
    const second = attempt(tool, task, anAttempt(2, { currentAttemptScheduledTimestampMs: laterOn }));
    await late.begun;
    early.letGo('early');
    await first;
    expect(await rowOf(task)).toMatchObject({ status: 'claimed' });
    late.letGo('late');
    expect(await second).toMatchObject({ reply: { value: 'late' } });
    expect(await rowOf(task)).toMatchObject({ status: 'completed', result: { value: 'late' } });
  });

  test('a call whose attempt was lost and that then fails is not known to have failed', async () => {
    const [task, { step, begun }] = [aNewTask(), held()];
    const tool = idempotent(step, answers(400));
    await begin(tool, task, begun);
    expect(await failureOf(attempt(tool, task, anAttempt(2)))).toMatchObject({ details: [{ callFailed: false }] });
  });

  test('a call whose attempt was lost and that is now unsafe has an unknown outcome', async () => {
    const [task, { step, begun }] = [aNewTask(), held()];
    const tool = idempotent(step, returns('again'));
    await begin(tool, task, begun);
    const tightened = { ...tool, tool: { ...tool.tool, effect: 'unsafe' as const } };
    expect(await failureOf(attempt(tightened, task, anAttempt(2)))).toMatchObject({ type: 'UNKNOWN_OUTCOME' });
    expect(await rowOf(task)).toMatchObject({ status: 'unknown' });
    expect(await attempt(tightened, { ...task, takeover: 1 }, anAttempt())).toMatchObject({
      reply: { value: 'again' },
    });
  });
});

describe('a call that local attempts possibly executed', () => {
  const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no', attempts: 1 } } as const;
  const failedLocally = { failures: 1, failure, nextAttemptAt: new Date().toISOString() };

  test.each([
    ['', {}],
    [', and that was refused before', { failedLocally }],
  ])(
    'a call that local attempts possibly executed and that is now unsafe has an unknown outcome%s',
    async (_, over) => {
      const task = aNewTask();
      const left = { ...task, perhapsMadeLocally: true, ...over } as const;
      const { tool, calls } = scriptedTool(returns('again'));
      const tightened = { tool: { ...tool, effect: 'unsafe' as const }, calls };
      expect(await failureOf(attempt(tightened, left, anAttempt()))).toMatchObject({ type: 'UNKNOWN_OUTCOME' });
      expect([await rowOf(task), calls.length]).toMatchObject([{ status: 'unknown' }, 0]);
      expect(await attempt(tightened, { ...task, takeover: 1 }, anAttempt())).toMatchObject({
        reply: { value: 'again' },
      });
    },
  );

  test('a call that local attempts possibly executed and that then fails is not known to have failed', async () => {
    const failed = attempt(idempotent(answers(400)), aNewTask({ perhapsMadeLocally: true }), anAttempt());
    expect(await failureOf(failed)).toMatchObject({ details: [{ callFailed: false }] });
  });
});

describe('a call is claimed', () => {
  interface Claimed {
    readonly activity?: ReturnType<typeof anAttempt>;
    readonly task?: Partial<CallTask<ToolCallRequest>>;
    readonly effect?: ScriptedTool['tool']['effect'];
  }
  test.each<[string, Claimed]>([
    ['that is keyed', { task: { request: aToolRequest() } }],
    ['that the worker calls keyed', { effect: 'keyed' }],
    ['that can be compensated', { task: { isCompensable: true } }],
    ['that a person retries', { task: { takeover: 1 } }],
    ['by a later attempt', { activity: anAttempt(2) }],
    ['by an attempt that begins late', { activity: anAttempt(1, { currentAttemptScheduledTimestampMs: 1 }) }],
  ])(
    'a call %s writes a claim before it is made',
    async (_, { activity = anAttempt(), task = {}, effect = 'idempotent' }) => {
      const claimed = vi.spyOn(store.ledger, 'claim');
      const { tool, calls } = scriptedTool(returns('paid'));
      await attempt({ tool: { ...tool, effect }, calls }, aNewTask(task), activity);
      expect(claimed).toHaveBeenCalledTimes(1);
    },
  );
});

describe('the journal of a call without a claim', () => {
  test('the journal of a call without a claim is written once while a long call is made', async () => {
    const [task, { step, letGo }] = [withJournal(), held()];
    const settled = vi.spyOn(store.ledger, 'settle');
    const call = attempt(idempotent(step), task, anAttempt());
    await expect.poll(async () => await numbersOf(task)).toEqual([1]);
    expect(await rowOf(task)).toBeUndefined();
    letGo('paid');
    await call;
    expect(settled.mock.calls[0]?.[0].journal).toBeNull();
    expect(await rowOf(task)).toMatchObject({ status: 'completed' });
  });

  test('a call without a claim fails permanently if the database refuses its journal', async () => {
    const task = aNewTask({
      journal: aJournalBatch({ view: { ...aJournalBatch().view, endedAt: 'never' } }),
    });
    const tool = idempotent(returns('paid'));
    expect(await failureOf(attempt(tool, task, anAttempt()))).toMatchObject({ type: 'INTERNAL', nonRetryable: true });
  });
});

describe('a database', () => {
  const refused = () => Object.assign(new Error('invalid byte sequence'), { code: '22021' });

  test('a record is retried while the database is briefly unavailable, and the call is not repeated', async () => {
    const [task, tool] = [withJournal(), idempotent(returns('paid'))];
    vi.spyOn(store.ledger, 'settle').mockRejectedValueOnce(new DatabaseAwayError('no answer'));
    expect(await attempt(tool, task, anAttempt())).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
    expect([await numbersOf(task), tool.calls.length]).toEqual([[1], 1]);
  });

  test('a record that the database stored without a response is retried and returned', async () => {
    const [task, tool] = [aNewTask(), idempotent(answers(503), returns('paid'))];
    const settle = store.ledger.settle.bind(store.ledger);
    vi.spyOn(store.ledger, 'settle').mockImplementationOnce(async (...given) => {
      await settle(...given);
      throw new DatabaseAwayError('no answer');
    });
    await failureOf(attempt(tool, task, anAttempt()));
    expect(await rowOf(task)).toMatchObject({ status: 'retrying', failures: 1 });
    expect(await attempt(tool, task, anAttempt(2))).toMatchObject({ attempts: 2 });
  });

  test.each([
    ['leaves the outcome to the run if there is no journal', aNewTask, { reply: { value: 'paid' } }],
    ['is left to another attempt, with its journal', withJournal, { type: 'DATABASE_AWAY', nonRetryable: false }],
  ])('a call of a worker that ends while the database is unavailable %s', async (_, newTask, end) => {
    const activity = anAttempt();
    vi.spyOn(store.ledger, 'settle').mockImplementation(async () => {
      activity.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
      throw new DatabaseAwayError('no answer');
    });
    const told = attempt(idempotent(returns('paid')), newTask(), activity);
    expect(await told.catch((error: unknown) => error)).toMatchObject(end);
  });

  test('the journal is stored although the database refuses the result, and the run receives the result', async () => {
    const task = withJournal();
    vi.spyOn(store.ledger, 'settle').mockImplementation(async () => await Promise.reject(refused()));
    const told = attempt(idempotent(returns('paid')), task, anAttempt());
    expect([await told, await numbersOf(task)]).toMatchObject([{ reply: { value: 'paid' } }, [1]]);
  });
});

test('a call key belongs to one request, also for an attempt without a claim', async () => {
  const [task, tool] = [aNewTask(), idempotent(returns('paid'), returns('other'))];
  await attempt(tool, task, anAttempt());
  const policy = aPolicy();
  const other = { ...task, request: aToolRequest({ effect: 'idempotent', args: { order: 8 }, policy }) };
  expect(await failureOf(attempt(tool, other, anAttempt()))).toMatchObject({ type: 'INTERNAL', nonRetryable: true });
  expect(await rowOf(task)).toMatchObject({ result: { value: 'paid' } });
});

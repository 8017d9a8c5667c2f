import { ApplicationFailure } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallTask } from '../../../../src/activities/calls/call-task.ts';
import type { CallSafety } from '../../../../src/graph/definition/call-policy.ts';
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

const store = await useMemoryStore();
afterEach(() => void vi.restoreAllMocks());

const attempt = createAttempt(() => store);
const SAFETIES: readonly CallSafety[] = ['idempotent', 'keyed', 'unsafe'];

let tasks = 0;
/** A call without an entry in the ledger. */
function aNewTask(effect: CallSafety, over: Partial<CallTask<ToolCallRequest>> = {}): CallTask<ToolCallRequest> {
  return aTask({ key: `R1.pay.${++tasks}`, request: aToolRequest({ effect }), ...over });
}

/** The status of a call in the ledger. */
async function statusOf({ key, tenantId, runId, node }: CallTask): Promise<unknown> {
  const claim = {
    key,
    tenantId,
    runId,
    node,
    called: '',
    requestHash: '',
    takeover: 0,
    claim: '',
    scheduledAt: 1,
    journal: null,
    at: '2026-01-02T03:04:05Z',
  };
  return await store.ledger.claim(claim, ({ status }) => ({ isGranted: false, answer: status }));
}

/** Advances the time without a heartbeat of any attempt. */
async function silence(): Promise<void> {
  await store.database.exec("update ledger set updated_at = updated_at - interval '1 hour'");
}

/** Loses the worker during the call. */
async function loseWithin(task: CallTask<ToolCallRequest>): Promise<ScriptedTool> {
  const { step, begun } = held();
  const tool = scriptedTool(step, returns('again'), returns('once more'));
  void attempt(tool, task);
  await begun;
  await silence();
  return tool;
}

/** Loses the worker after the call was made, and before it was recorded. */
async function loseBeforeRecord(task: CallTask<ToolCallRequest>): Promise<ScriptedTool> {
  const tool = scriptedTool(returns('first'), returns('again'), returns('once more'));
  await new Promise<void>((resolve) => {
    vi.spyOn(store.ledger, 'complete').mockImplementationOnce(async () => {
      resolve();
      return await new Promise(() => undefined);
    });
    void attempt(tool, task);
  });
  await silence();
  return tool;
}

const LOSSES = [
  ['within the call', loseWithin],
  ['between call and record', loseBeforeRecord],
] as const;

const unknownOutcome = {
  type: 'UNKNOWN_OUTCOME',
  nonRetryable: true,
  details: [{ callFailed: false, error: { code: 'UNKNOWN_OUTCOME' } }],
};

describe.each(SAFETIES)('an %s call', (safety) => {
  test('a successful call is recorded, and a later attempt returns its result', async () => {
    const task = aNewTask(safety);
    const tool = scriptedTool(returns({ paid: 7 }));
    const [first, second] = [await attempt(tool, task), await attempt(tool, task)];
    expect(first).toMatchObject({ reply: { kind: 'value', value: { paid: 7 } }, attempts: 1 });
    expect(second.reply).toEqual(first.reply);
    expect(tool.calls.map(({ key }) => key)).toEqual([task.key]);
  });

  test('an attempt that the server has timed out leaves the call to the later attempt, and the result is recorded', async () => {
    const task = aNewTask(safety);
    const { step, begun, letGo } = held();
    const tool = scriptedTool(step);
    const second = attempt(tool, task, anActivity({ currentAttemptScheduledTimestampMs: 2 }));
    await begun;
    expect(await failureOf(attempt(tool, task, anActivity({ currentAttemptScheduledTimestampMs: 1 })))).toMatchObject({
      type: 'IN_PROGRESS',
    });
    letGo('done');
    expect(await second).toMatchObject({ reply: { value: 'done' } });
    expect([await statusOf(task), tool.calls.length]).toEqual([{ answer: 'completed' }, 1]);
  });

  test('a call that took several attempts is recorded with their number', async () => {
    const task = aNewTask(safety);
    const tool = scriptedTool(answers(429), answers(429), returns('paid'));
    await failureOf(attempt(tool, task));
    await failureOf(attempt(tool, task));
    expect((await attempt(tool, task)).attempts).toBe(3);
    expect((await attempt(tool, task)).attempts).toBe(3);
  });

  test('a failed call returns its recorded failure, and is not made again', async () => {
    const task = aNewTask(safety);
    const tool = scriptedTool(answers(400));
    const first = await failureOf(attempt(tool, task));
    expect(await failureOf(attempt(tool, task))).toMatchObject({
      type: 'TOOL_FAILED',
      nonRetryable: true,
      details: first.details,
    });
    expect(tool.calls).toHaveLength(1);
  });
});

describe.each(['idempotent', 'keyed'] as const)('an %s call', (safety) => {
  test.each(LOSSES)('a repeatable call that was lost %s is made again under the same key', async (_where, lose) => {
    const task = aNewTask(safety);
    const tool = await lose(task);
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'again' } });
    expect(tool.calls.map(({ key }) => key)).toEqual([task.key, task.key]);
  });

  test('a repeatable call that failed and was possibly executed returns its recorded failure', async () => {
    const task = aNewTask(safety, {
      request: aToolRequest({ effect: safety, policy: aPolicy({ retry: { maxAttempts: 1 } }) }),
    });
    const tool = scriptedTool(answers(503));
    const first = await failureOf(attempt(tool, task));
    expect(first.details).toMatchObject([{ callFailed: false }]);
    expect((await failureOf(attempt(tool, task))).details).toEqual(first.details);
  });

  test('a repeatable call that two attempts make concurrently is made under one key, and the later attempt is recorded', async () => {
    const task = aNewTask(safety);
    const [first, second] = [held(), held()];
    const tool = scriptedTool(first.step, second.step);
    const early = attempt(tool, task);
    await first.begun;
    const late = attempt(tool, task);
    await second.begun;
    first.letGo('early');
    expect(await early).toMatchObject({ reply: { value: 'early' } });
    second.letGo('late');
    expect(await late).toMatchObject({ reply: { value: 'late' } });
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'late' } });
    expect(tool.calls.map(({ key }) => key)).toEqual([task.key, task.key]);
  });
});

describe('an unsafe call', () => {
  test.each(LOSSES)(
    'an unsafe call that was lost %s has an unknown outcome, and is not made again',
    async (_where, lose) => {
      const task = aNewTask('unsafe');
      const tool = await lose(task);
      const first = await failureOf(attempt(tool, task));
      expect(first).toMatchObject(unknownOutcome);
      expect(await statusOf(task)).toEqual({ answer: 'unknown' });
      expect(await failureOf(attempt(tool, task))).toMatchObject({ ...unknownOutcome, details: first.details });
      expect(tool.calls).toHaveLength(1);
    },
  );

  test.each(LOSSES)('an unsafe call that was lost %s is made again by a person’s retry', async (_where, lose) => {
    const task = aNewTask('unsafe');
    const tool = await lose(task);
    await failureOf(attempt(tool, task));
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'again' }, attempts: 1 });
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'again' } });
    expect(tool.calls.map(({ key }) => key)).toEqual([task.key, task.key]);
  });

  test('an unsafe call that a person has retried once is not repeated when it is lost again', async () => {
    const task = aNewTask('unsafe');
    await loseWithin(task);
    const tool = await loseWithin({ ...task, takeover: 1 });
    expect(await failureOf(attempt(tool, { ...task, takeover: 1 }))).toMatchObject(unknownOutcome);
    expect(tool.calls).toHaveLength(1);
    expect(await attempt(tool, { ...task, takeover: 2 })).toMatchObject({ reply: { value: 'again' } });
  });

  test('an unsafe call that was considered lost and then completes is recorded, and no retry repeats it', async () => {
    const task = aNewTask('unsafe');
    const { step, begun, letGo } = held();
    const tool = scriptedTool(step);
    const slow = attempt(tool, task);
    await begun;
    await silence();
    expect(await failureOf(attempt(tool, task))).toMatchObject(unknownOutcome);
    letGo('paid');
    await slow;
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'paid' } });
    expect(tool.calls).toHaveLength(1);
  });
});

describe('an unsafe call that the server has timed out', () => {
  const GIVEN_UP = new ActivityCancellationDetails({ timedOut: true, notFound: true });

  test('an unsafe call that the server has timed out is left to the attempt that makes it, and its result is found', async () => {
    const task = aNewTask('unsafe');
    const { step, begun, letGo } = held();
    const [tool, activity] = [scriptedTool(step), anActivity()];
    const early = attempt(tool, task, activity);
    await begun;
    activity.cancel('TIMED_OUT', GIVEN_UP);
    const late = attempt(tool, task);
    expect(await failureOf(late)).toMatchObject({ type: 'IN_PROGRESS', nonRetryable: false });
    letGo('paid');
    expect(await early).toMatchObject({ reply: { value: 'paid' } });
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
    expect(tool.calls).toHaveLength(1);
  });

  test('an unsafe call that the server has timed out keeps its claim while it is in progress', async () => {
    const task = aNewTask('unsafe', {
      request: aToolRequest({ effect: 'unsafe', policy: aPolicy({ heartbeatMs: 30 }) }),
    });
    const { step, begun, letGo } = held();
    const renewed = vi.spyOn(store.ledger, 'renew');
    const early = attempt(scriptedTool(step), task);
    await begun;
    await expect.poll(() => renewed.mock.calls.length).toBeGreaterThan(2);
    letGo('paid');
    await early;
  });
});

describe('the key of a call', () => {
  test('a call key belongs to one request: with another request it is refused permanently', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(returns('paid'));
    await attempt(tool, task);
    const other = { ...task, request: aToolRequest({ args: { takeover: 8 } }) };
    expect(await failureOf(attempt(tool, other))).toMatchObject({
      type: 'INTERNAL',
      nonRetryable: true,
      details: [{ error: { code: 'INTERNAL', message: 'The same idempotency key was used for another request' } }],
    });
    expect(tool.calls).toHaveLength(1);
  });

  test('a call key belongs to the same request regardless of the order of the request’s members', async () => {
    const task = aNewTask('keyed', { request: aToolRequest({ args: { a: 1, b: { c: 2, d: 3 } } }) });
    const tool = scriptedTool(returns('paid'));
    await attempt(tool, task);
    const turned = { ...task, request: aToolRequest({ args: { b: { d: 3, c: 2 }, a: 1 } }) };
    expect(await attempt(tool, turned)).toMatchObject({ reply: { value: 'paid' } });
  });
});

describe('an unavailable database', () => {
  test('a call is not made while the database is unavailable for its claim', async () => {
    const task = aNewTask('unsafe');
    const tool = scriptedTool(returns('paid'));
    vi.spyOn(store.ledger, 'claim').mockRejectedValueOnce(new Error('away'));
    await expect(attempt(tool, task)).rejects.not.toBeInstanceOf(ApplicationFailure);
    expect(tool.calls).toHaveLength(0);
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' } });
  });

  test.each(SAFETIES)(
    'an %s call does not count as lost when the database stores its claim without a response',
    async (safety) => {
      const task = aNewTask(safety);
      const tool = scriptedTool(returns('paid'));
      const { ledger } = store;
      const claim = ledger.claim.bind(ledger);
      vi.spyOn(store.ledger, 'claim').mockImplementationOnce(async (wanted, judge) => {
        await claim(wanted, judge);
        throw new DatabaseAwayError('no answer');
      });
      const first = anActivity();
      const said: unknown[] = [];
      first.on('heartbeat', (details: unknown) => said.push(details));
      expect(await failureOf(attempt(tool, task, first))).toMatchObject({ type: 'DATABASE_AWAY', nonRetryable: false });
      expect(tool.calls).toHaveLength(0);
      const second = anActivity({ heartbeatDetails: said.at(-1) });
      expect(await attempt(tool, task, second)).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
      expect(tool.calls).toHaveLength(1);
    },
  );

  test('an unsafe call does not count as lost when 300 claims got no response and only the first was stored', async () => {
    const task = aNewTask('unsafe');
    const tool = scriptedTool(returns('paid'));
    const claim = store.ledger.claim.bind(store.ledger);
    let details: unknown;
    const attemptNumber = (attempt: number) =>
      anActivity({
        attempt,
        currentAttemptScheduledTimestampMs: 1_000_000 + attempt * 2_000,
        heartbeatTimeoutMs: 10_000,
        startToCloseTimeoutMs: 60_000,
        heartbeatDetails: details,
      });
    for (let number = 1; number <= 300; number += 1) {
      vi.spyOn(store.ledger, 'claim').mockImplementationOnce(async (wanted, judge) => {
        if (number === 1) await claim(wanted, judge);
        throw new DatabaseAwayError('no answer');
      });
      const activity = attemptNumber(number);
      activity.on('heartbeat', (said: unknown) => (details = said));
      await failureOf(attempt(tool, task, activity));
    }
    expect(await attempt(tool, task, attemptNumber(301))).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
  });

  test('a run receives the outcome of a call although the database is unavailable until the worker ends', async () => {
    const task = aNewTask('unsafe');
    const { step, begun, letGo } = held();
    const activity = anActivity();
    vi.spyOn(store.ledger, 'complete').mockImplementation(async () => {
      activity.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
      throw new DatabaseAwayError('no answer');
    });
    const told = attempt(scriptedTool(step), task, activity);
    await begun;
    letGo('paid');
    expect(await told).toMatchObject({ reply: { value: 'paid' } });
    expect(await statusOf(task)).toEqual({ answer: 'claimed' });
  });

  test.each(SAFETIES)(
    'an %s call is not repeated when the database is unavailable for its record, and the write is retried',
    async (safety) => {
      const task = aNewTask(safety);
      const tool = scriptedTool(returns('paid'));
      vi.spyOn(store.ledger, 'complete').mockRejectedValueOnce(new Error('away'));
      expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' } });
      expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' } });
      expect(tool.calls).toHaveLength(1);
    },
  );
});

describe('the journal', () => {
  const numbersOf = async (runId: string): Promise<number[]> =>
    (await store.journal.events(runId, 0, 10)).map(({ seq }) => seq);

  test('the event journal is written with the call', async () => {
    const task = aNewTask('keyed', { runId: 'J-success', journal: aJournalBatch() });
    await attempt(scriptedTool(returns('paid')), task);
    expect(await numbersOf('J-success')).toEqual([1]);
  });

  test('the event journal is written also when the call fails', async () => {
    const task = aNewTask('keyed', { runId: 'J-failure', journal: aJournalBatch() });
    await failureOf(attempt(scriptedTool(answers(400)), task));
    expect(await numbersOf('J-failure')).toEqual([1]);
  });

  test('the event journal is written also when the call was made before', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(returns('paid'));
    await attempt(tool, task);
    await attempt(tool, { ...task, runId: 'J-again', journal: aJournalBatch() });
    expect(await numbersOf('J-again')).toEqual([1]);
  });

  test('a call whose event journal the database refuses is not made and fails permanently', async () => {
    const task = aNewTask('unsafe', { runId: 'J-refused', journal: aJournalBatch() });
    const tool = scriptedTool(returns('paid'));
    const refused = {
      ...task,
      journal: aJournalBatch({ view: { ...aJournalBatch().view, endedAt: 'never' } }),
    };
    expect(await failureOf(attempt(tool, refused))).toMatchObject({ type: 'INTERNAL', nonRetryable: true });
    expect(tool.calls).toHaveLength(0);
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' } });
    expect(await numbersOf('J-refused')).toEqual([1]);
  });
});

import type { Info } from '@temporalio/activity';
import { beforeEach, expect, test } from 'vitest';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import { inCallSlot } from '../../../../src/activities/calls/call-admission.ts';
import type { CallSlot } from '../../../../src/activities/calls/call-admission.ts';
import { aJournalBatch, aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import { anActivity, failureOf } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

/** The number of calls made and of slots released. */
const seen = { calls: 0, givenBack: 0 };
beforeEach(() => void Object.assign(seen, { calls: 0, givenBack: 0 }));

const outcome: CallOutcome = { reply: { kind: 'value', value: 'paid' }, attempts: 1, durationMs: 1 };
const taken: CallSlot = { kind: 'taken', giveBack: () => void (seen.givenBack += 1) };
const refused: CallSlot = { kind: 'refused', retryAfterMs: 7_000 };

async function make(
  slot: CallSlot,
  {
    task = aTask(),
    info = {},
    ends = async () => outcome,
  }: {
    task?: CallTask;
    info?: Partial<Info>;
    ends?: () => Promise<CallOutcome>;
  } = {},
): Promise<CallOutcome> {
  const call = async (): Promise<CallOutcome> => {
    seen.calls += 1;
    return await ends();
  };
  const slots = { take: () => slot };
  return await anActivity(info).run<[], CallOutcome, () => Promise<CallOutcome>>(
    async () => await inCallSlot(slots, store, task, call),
  );
}

const withDeadline = (deadlineMs: number): CallTask =>
  aTask({ request: aToolRequest({ policy: aPolicy({ deadlineMs }) }) });

test('a call holds its concurrency slot until it ends', async () => {
  expect(await make(taken)).toEqual(outcome);
  expect(seen).toEqual({ calls: 1, givenBack: 1 });
});

test('a failing call releases its concurrency slot', async () => {
  const ends = async () => await Promise.reject(new Error('broken'));
  await expect(make(taken, { ends })).rejects.toThrow('broken');
  expect(seen).toEqual({ calls: 1, givenBack: 1 });
});

test('a call without a free slot is not made, and is retried later', async () => {
  const failure = await failureOf(make(refused));
  expect(failure).toMatchObject({ type: 'BUSY', nonRetryable: false, nextRetryDelay: 7_000 });
  expect(seen).toEqual({ calls: 0, givenBack: 0 });
});

test('the event journal in the task of a postponed call is written although the call is not made', async () => {
  await failureOf(make(refused, { task: aTask({ runId: 'J-busy', journal: aJournalBatch() }) }));
  expect(await store.journal.events('J-busy', 0, 10)).toMatchObject([{ seq: 1, type: 'step.started' }]);
});

test('a call postponed for lack of a slot is retried no later than its deadline', async () => {
  const failure = await failureOf(
    make(refused, { task: withDeadline(5_000), info: { scheduledTimestampMs: Date.now() - 1_000 } }),
  );
  expect(failure).toMatchObject({
    type: 'BUSY',
    nextRetryDelay: expect.toSatisfy((ms: number) => ms > 0 && ms <= 4_000),
  });
});

test('a call past its deadline proceeds without a slot, so that the ledger records its end', async () => {
  const info = { scheduledTimestampMs: Date.now() - 6_000 };
  expect(await make(refused, { task: withDeadline(5_000), info })).toEqual(outcome);
  expect(seen).toEqual({ calls: 1, givenBack: 0 });
});

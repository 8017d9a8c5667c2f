import { afterEach, expect, test } from 'vitest';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import { whenSwitchedOn } from '../../../../src/activities/calls/call-admission.ts';
import type { Switch } from '../../../../src/store/switches.ts';
import { aJournalBatch, aModelRequest, aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import { anActivity, failureOf } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const { tool } = aToolRequest();

const outcome: CallOutcome = { reply: { kind: 'value', value: 'paid' }, attempts: 1, durationMs: 1 };
let calls = 0;
afterEach(() => void (calls = 0));

async function turn(over: Partial<Switch>): Promise<void> {
  const changed = { changedAt: '2026-01-02T03:04:05.678Z', changedBy: 'root' };
  const off = { kind: 'tool', name: tool, state: 'off', reason: 'the gateway is down', tenants: null } as const;
  await store.switches.put({ ...off, ...changed, ...over }, 10);
  store.overrides.forget();
}

async function make(task: CallTask = aTask(), scheduledTimestampMs = Date.now()): Promise<CallOutcome> {
  return await anActivity({ scheduledTimestampMs }).run<[], CallOutcome, () => Promise<CallOutcome>>(
    async () =>
      await whenSwitchedOn(store, task, async () => {
        calls += 1;
        return outcome;
      }),
  );
}

test('a call whose tool is disabled is not made, and is made once the tool is enabled', async () => {
  await turn({});
  const failure = await failureOf(make(aTask({ runId: 'W', journal: aJournalBatch() })));
  expect(failure).toMatchObject({
    type: 'SWITCHED_OFF',
    nonRetryable: false,
    message: expect.stringContaining('the gateway is down'),
    nextRetryDelay: expect.toSatisfy((ms: number) => ms >= 5_000 && ms <= 10_000),
  });
  expect(calls).toBe(0);
  expect(await store.journal.events('W', 0, 10)).toMatchObject([{ seq: 1, type: 'step.started' }]);
  await turn({ state: 'on' });
  expect(await make()).toEqual(outcome);
});

test('disabling a tool of one tenant leaves calls of other tenants, tools and models running', async () => {
  await turn({ tenants: ['somebody-else'] });
  expect(await make()).toEqual(outcome);
  await turn({});
  const model = aModelRequest();
  expect(await make({ ...aTask(), request: { ...model, model: tool } })).toEqual(outcome);
  await turn({ kind: 'model', name: model.model });
  expect(await failureOf(make({ ...aTask(), request: model }))).toMatchObject({ type: 'SWITCHED_OFF' });
});

test('a call of a disabled tool past its deadline proceeds, so that the ledger records its end', async () => {
  await turn({});
  const task = aTask({ request: aToolRequest({ policy: aPolicy({ deadlineMs: 5_000 }) }) });
  expect(await failureOf(make(task, Date.now() - 1_000))).toMatchObject({
    nextRetryDelay: expect.toSatisfy((ms: number) => ms > 0 && ms <= 4_000),
  });
  expect(await make(task, Date.now() - 6_000)).toEqual(outcome);
});

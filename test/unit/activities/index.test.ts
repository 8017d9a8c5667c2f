import { createScheduleActivities } from '../../../src/activities/record-fire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallSlots } from '../../../src/activities/calls/call-admission.ts';
import type { CallOutcome } from '../../../src/activities/calls/call-task.ts';
import { createCallActivities, createJournalActivities } from '../../../src/activities/index.ts';
import type { Activities } from '../../../src/activities/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { aJournalBatch, aModelRequest, aPolicy, aTask, aToolRequest } from '../../support/builders/call-builders.ts';
import { aPicture } from '../../support/builders/file-parts.ts';
import { anActivity, failureOf, returns, scriptedTool } from '../../support/doubles/scripted-tool.ts';
import { openMemoryStore } from '../../support/servers/memory-database.ts';

const reply = {
  kind: 'model',
  text: 'Hi',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1 },
} as const;

const fileSlots = createCallSlots({ total: 2, perTenant: 1 });

let store: Store;
let activities: Activities;
beforeAll(async () => {
  store = await openMemoryStore();
  const calls = createCallActivities({
    store,
    slots: createCallSlots({ total: 2, perTenant: 1 }),
    fileSlots,
    models: { default: async () => reply },
    tools: { pay: scriptedTool(returns('paid')).tool },
    functions: { double: { effect: 'idempotent', execute: (args) => Number(args) * 2 } },
  });
  activities = { ...calls, ...createJournalActivities({ store }), ...createScheduleActivities(store) };
});
afterAll(async () => await store.close());

async function inActivity(work: () => Promise<CallOutcome>): Promise<CallOutcome> {
  return await anActivity().run<[], CallOutcome, () => Promise<CallOutcome>>(work);
}

describe('activities', () => {
  test('the activities call models, tools and functions by their names', async () => {
    const task = aTask();
    const double = { kind: 'function', function: 'double', args: 21, effect: 'idempotent', policy: aPolicy() } as const;
    const outcomes = [
      await inActivity(async () => await activities.callModel({ ...task, key: 'model', request: aModelRequest() })),
      await inActivity(async () => await activities.callTool({ ...task, key: 'tool', request: aToolRequest() })),
      await inActivity(async () => await activities.callFunction({ ...task, key: 'function', request: double })),
    ];
    expect(outcomes.map((outcome) => outcome.reply)).toEqual([
      reply,
      { kind: 'value', value: 'paid' },
      { kind: 'value', value: 42 },
    ]);
  });

  test.each(['spare', 'constructor'])(
    'a worker without the model %s reports the model’s name in the error',
    async (model) => {
      const task = { ...aTask(), key: `no ${model}`, request: aModelRequest({ model }) };
      const failure = await failureOf(inActivity(async () => await activities.callModel(task)));
      expect(failure).toMatchObject({ type: 'MODEL_FAILED', nonRetryable: true, details: [{ callFailed: true }] });
    },
  );

  test('only prompts with files wait while other prompts hold file slots', async () => {
    const messages = [{ id: 'm', role: 'user', content: [aPicture()] }] as const;
    const shown = { ...aTask(), key: 'with files', request: aModelRequest({ messages }) };
    const held = fileSlots.take(shown.tenantId);
    const refused = inActivity(async () => await activities.callModel(shown));
    expect(await failureOf(refused)).toMatchObject({ type: 'BUSY', nonRetryable: false });
    const said = { ...shown, key: 'without files', request: aModelRequest() };
    expect(await inActivity(async () => await activities.callModel(said))).toMatchObject({ reply });
    if (held.kind === 'taken') held.giveBack();
    expect(await inActivity(async () => await activities.callModel(shown))).toMatchObject({ reply, attempts: 1 });
  });

  test('an activity does not retry a journal that the database refuses', async () => {
    const refused = Object.assign(new Error('invalid byte sequence'), { code: '22021' });
    const refusing = { ...store, journal: { ...store.journal, write: async () => await Promise.reject(refused) } };
    const journalist = createJournalActivities({ store: refusing });
    const entry = { runId: 'refused', tenantId: 'acme', graph: 'shop' };
    expect(
      await failureOf(anActivity().run(async () => await journalist.record(entry, aJournalBatch()))),
    ).toMatchObject({
      type: 'INTERNAL',
      message: 'The database refuses the journal: invalid byte sequence',
      nonRetryable: true,
    });
  });

  test('an activity can write a journal batch without a call', async () => {
    await anActivity().run(
      async () => await activities.record({ runId: 'alone', tenantId: 'acme', graph: 'shop' }, aJournalBatch()),
    );
    expect(await store.journal.events('alone', 0, 10)).toEqual(aJournalBatch().events);
  });
});

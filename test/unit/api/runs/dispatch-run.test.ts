import { describe, expect, test, vi } from 'vitest';
import { acceptAndDispatch, dispatchRun, dispatchOrLeave } from '../../../../src/api/runs/dispatch-run.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import {
  LATER,
  aBatch,
  aCheckpoint,
  aNewRun,
  aStart,
  endRun,
  writeTo,
} from '../../../support/builders/store-builders.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const depsOf = () => ({
  store,
  engine: anAbsentEngine({}),
  graphJobs: graphJobsHere(aCatalog()),
  logger: createLogger('silent'),
});
const dispatchOf = async (id: string) => (await store.runs.find(id))?.dispatch.kind;

test('a run whose start cannot be read stays pending, with a problem', async () => {
  await store.runs.create(aNewRun({ id: 'U', start: {} }));
  await dispatchOrLeave(depsOf(), 'U');
  expect((await store.runs.find('U'))?.dispatch).toMatchObject({
    kind: 'pending',
    problem: expect.objectContaining({}),
  });
  expect(await store.pendingStarts.due('2099-01-01T00:00:00.000Z', 1_000)).toContain('U');
});

test('a run with an invalid start that was just accepted is not recorded as dispatched', async () => {
  const confirmed = vi.spyOn(store.changes, 'subscribe');
  expect(await acceptAndDispatch(depsOf(), aNewRun({ id: 'V', start: {}, createdAt: LATER }))).toBe('accepted');
  expect(confirmed).not.toHaveBeenCalled();
  expect(await dispatchOf('V')).toBe('pending');
});

test.each([
  ['no object', 'reopen'],
  ['a run without a format', { kind: 'reopen', run: {}, name: 'resume', payload: {} }],
  ['no signal', { kind: 'reopen', run: { format: 1 }, payload: {} }],
  ['no payload', { kind: 'reopen', run: { format: 1 }, name: 'resume' }],
])('a run whose row has %s to reopen it does not start again', async (_what, reopening) => {
  const id = 'R';
  const start = toJson(aStart());
  const claim = async () => ({
    id,
    start,
    reopening,
    predecessorId: null,
    redaction: NOTHING_REDACTED,
    execution: 2,
    queuedSignals: [],
  });
  const pendingStarts = { ...store.pendingStarts, claim };
  await expect(dispatchRun({ ...depsOf(), store: { ...store, pendingStarts } }, id)).rejects.toThrow(
    "Run R can't be reopened",
  );
});

describe('a run of a thread whose last run hides channels', () => {
  const definition = aDefinition({
    channels: { pin: {}, card: {}, copy: {} },
    nodes: { a: { type: 'set', write: { copy: '{{ state.card }}' } } },
  });
  const start = toJson(aStart({ definition }));

  async function hiddenAfter(threadId: string, left: readonly string[], own: readonly string[]) {
    const [before, next] = [`${threadId}-1`, `${threadId}-2`];
    const redaction = { ...NOTHING_REDACTED, channels: left };
    await store.runs.create(aNewRun({ id: before, threadId, redaction }));
    await writeTo(store, { id: before }, aBatch([1], { checkpoints: [aCheckpoint(before, 1)] }));
    await endRun(store, { id: before }, 2);
    const hidden = { ...NOTHING_REDACTED, channels: own };
    await store.runs.create(aNewRun({ id: next, threadId, start, redaction: hidden }));
    await expect(dispatchRun(depsOf(), next)).rejects.toThrow('There is no Temporal');
    return (await store.runs.find(next))?.redaction.channels;
  }

  test('a run inherits hidden channels and everything derived from them, besides its own', async () => {
    expect(await hiddenAfter('T', ['card'], ['pin', 'gone'])).toEqual(['pin', 'card', 'copy', 'gone']);
  });

  test('a run does not inherit hidden channels that its graph lacks', async () => {
    expect(await hiddenAfter('V', ['other'], ['pin'])).toEqual(['pin']);
  });
});

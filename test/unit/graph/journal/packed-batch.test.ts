import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import type { JournalBatch } from '../../../../src/graph/journal/batch.ts';
import { toEndedState } from '../../../../src/graph/journal/ended-run.ts';
import { packBatch, unpackBatch } from '../../../../src/graph/journal/packed-batch.ts';
import type { Carrier } from '../../../../src/graph/journal/packed-events.ts';
import { toRunView } from '../../../../src/graph/journal/run-view.ts';
import type { RecordedOccurrence } from '../../../../src/graph/run/occurrence.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { addsNames, startRun } from '../../../support/builders/runs.ts';
import { runInMemory } from '../../../support/doubles/memory-shell.ts';

const definition = aDefinition({
  nodes: {
    first: { type: 'set', write: { log: 'begun' } },
    pay: { type: 'tool', tool: 'charge', args: { key: 'k' }, write: { log: '{{ result }}' } },
    ask: { type: 'approval', title: 'Send it?' },
  },
});
const { events, checkpoints, run } = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool: () => null });
const whole: JournalBatch = {
  events,
  checkpoints,
  approvals: Object.values(run.approvals),
  occurrences: [],
  view: { ...toRunView(run), startedAt: null },
  endedState: null,
};

const carrier: Carrier = { runId: run.id, call: null };

/** As the batch comes out at the other end. */
const sent = (batch: JournalBatch): unknown =>
  unpackBatch(JSON.parse(JSON.stringify(packBatch(batch, carrier))), carrier);

describe('a batch', () => {
  test('is unpacked as it was packed', () => {
    expect(sent(whole)).toEqual(whole);
  });

  test.each([0, 1, 2, 3, 5, 8])('is unpacked unchanged from event %i on', (from) => {
    const rest = events.slice(from);
    const numbers = new Set(rest.map(({ seq }) => seq));
    const batch = { ...whole, events: rest, checkpoints: checkpoints.filter(({ seq }) => numbers.has(seq)) };
    expect(sent(batch)).toEqual(batch);
  });

  test('is unpacked with the limits that retries have set', () => {
    const batch = { ...whole, view: { ...whole.view, raisedLimits: { maxSteps: 4, deadline: '30m' } } };
    expect(sent(batch)).toEqual(batch);
  });

  test('is unpacked with the undone work of its run', () => {
    const batch = { ...whole, view: { ...whole.view, undone: { since: 1, nodes: ['pay'] } } };
    expect(sent(batch)).toEqual(batch);
  });

  test('is unpacked with the deadline of its run', () => {
    const deadline = { at: '2026-01-02T04:04:05.000Z', leftMs: 3_600_000 };
    const batch = { ...whole, view: { ...whole.view, deadline } };
    expect(sent(batch)).toEqual(batch);
  });

  test('is unpacked unchanged with an event of a node without a visit', () => {
    const retried = {
      seq: 1,
      at: '2026-01-02T03:04:05.000Z',
      step: 2,
      type: 'run.retried',
      node: 'pay',
      by: 'uma',
    } as const;
    const batch = { ...whole, events: [retried], checkpoints: [] };
    expect(sent(batch)).toMatchObject({ events: [retried] });
    expect(sent(batch)).not.toHaveProperty('events.0.visit');
  });

  test('is unpacked unchanged with a gap', () => {
    const batch = { ...whole, events: events.filter(({ seq }) => seq !== 4), checkpoints: [] };
    expect(sent(batch)).toEqual({ ...batch, view: { ...batch.view, checkpointId: run.checkpointId } });
  });

  test('is unpacked unchanged with a view only', () => {
    const batch = { ...whole, events: [], checkpoints: [], approvals: [] };
    expect(sent(batch)).toEqual(batch);
  });

  test('of an ended run has the state for reopening it', () => {
    const ended = startRun({ nodes: addsNames('a', 'b') });
    const endedState = toEndedState(ended.run, compileGraph(aDefinition(), aCatalog()));
    const view = { ...toRunView(ended.run), startedAt: null };
    const batch = {
      events: ended.events,
      checkpoints: ended.checkpoints,
      approvals: [],
      occurrences: [],
      view,
      endedState,
    };
    expect(sent(batch)).toEqual(batch);
  });

  test('packs the end of a call into its number if the next event implies the rest', () => {
    const called = events.find(({ type }) => type === 'tool.called');
    if (!called) throw new Error('No call was made');
    const end = { number: 7, seq: called.seq - 1, at: Date.parse(called.at) };
    const first: RecordedOccurrence = { kind: 'call.completed', key: 'run-1:pay:1:0:0', ...end };
    const other: RecordedOccurrence = { ...first, key: 'run-1:ask:1:3:0', number: 8, seq: called.seq + 1 };
    const late: RecordedOccurrence = { kind: 'timer', id: 'deadline', number: 10, seq: 99, at: 1 };
    const batch = { ...whole, occurrences: [first, other, late] };
    expect(packBatch(batch, carrier).occurrences).toEqual([
      7,
      { number: 8, seq: called.seq + 1, key: ':ask:1:3:0' },
      { number: 10, seq: 99, at: 1, kind: 'timer', id: 'deadline' },
    ]);
    expect(sent(batch)).toEqual(batch);
  });

  test('keeps the reply of a local call that is nowhere else, and that a failed call was local', () => {
    const error = { code: 'TOOL_FAILED', message: 'No', attempts: 1 } as const;
    const local = events.map((event) =>
      event.type === 'tool.called' ? { ...event, error, local: true as const } : event,
    );
    const called = local.find(({ type }) => type === 'tool.called');
    if (!called) throw new Error('No call was made');
    const end = { number: 7, seq: called.seq - 1, at: Date.parse(called.at) };
    const failed = { kind: 'call.failed', key: 'run-1:pay:1:0:0', failure: { callFailed: true, error } } as const;
    const reply = { kind: 'value', value: { twice: 42 } } as const;
    const answered = { kind: 'call.completed', key: 'run-1:ask:1:3:0', reply, number: 8, seq: 99, at: 1 } as const;
    const batch = { ...whole, events: local, occurrences: [{ ...failed, isLocal: true as const, ...end }, answered] };
    expect(packBatch(batch, carrier).occurrences?.[0]).toBe(7);
    expect(sent(batch)).toEqual(batch);
  });

  test('of a fork names the checkpoint of its parent', () => {
    const fork = startRun({ nodes: addsNames('a', 'b') }).fork('run-1.c2');
    expect(fork).toMatchObject({ checkpoints: [{ parentId: 'run-1.c2' }, { parentId: 'fork-of-run-1.c2.c1' }] });
    const { events: ofFork = [], checkpoints: forked = [] } = 'code' in fork ? {} : fork;
    const parents = unpackBatch(packBatch({ ...whole, events: ofFork, checkpoints: forked }, carrier), carrier);
    expect(parents.checkpoints.map(({ parentId }) => parentId)).toEqual(['run-1.c2', 'fork-of-run-1.c2.c1']);
  });
});

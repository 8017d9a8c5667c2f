import { encodeTime } from 'ulid';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/graph/journal/index.ts';
import { journalMeasurements, createNodeClock } from '../../../../src/telemetry/metrics/journal-measurements.ts';
import { anApproval } from '../../../support/builders/store-builders.ts';

const ASKED_AT = Date.parse('2026-06-16T06:21:38.254Z');
const RUN = { runId: `${encodeTime(ASKED_AT)}0000000000000000`, graph: 'refund' };
const after = (seconds: number): string => new Date(ASKED_AT + seconds * 1_000).toISOString();

type Body = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, 'seq' | 'step'> : never) : never;
const numbered = (bodies: readonly Body[], step = 0): readonly RunEvent[] =>
  bodies.map((body, at) => ({ ...body, seq: at + 1, step }));

const measured = (
  events: readonly RunEvent[],
  { clock = createNodeClock(), approvals = [anApproval('R', 'pending')] } = {},
) =>
  journalMeasurements({ events, approvals }, RUN, ASKED_AT + 60_000, clock).filter(
    ({ name }) => name !== 'holdfast.journal.lag',
  );

test('the duration metric of a run begins with the request to start it', () => {
  const events = numbered([
    { type: 'step.started', at: after(2), nodes: ['pay'] },
    { type: 'run.completed', at: after(5), output: null },
  ]);
  expect(measured(events)).toEqual([
    { name: 'holdfast.steps', value: 1, labels: { graph: 'refund' } },
    { name: 'holdfast.run.start_delay', value: 2, labels: { graph: 'refund' } },
    { name: 'holdfast.runs', value: 1, labels: { graph: 'refund', outcome: 'completed' } },
    { name: 'holdfast.run.duration', value: 5, labels: { graph: 'refund', outcome: 'completed' } },
  ]);
});

test('a later step, or one of a subgraph, measures no start of a run', () => {
  const [event] = numbered([{ type: 'step.started', at: after(2), nodes: ['pay'] }]);
  if (!event) throw new Error('There is no event');
  expect(
    measured([
      { ...event, step: 1 },
      { ...event, path: ['inner'] },
    ]).map(({ name }) => name),
  ).toEqual(['holdfast.steps', 'holdfast.steps']);
});

test('a run whose id contains no time is counted in the metrics', () => {
  const events = numbered([{ type: 'run.canceled', at: after(5), by: 'ann', reason: null }]);
  const measurements = journalMeasurements(
    { events, approvals: [] },
    { runId: 'bench-0', graph: 'refund' },
    ASKED_AT,
    createNodeClock(),
  );
  expect(measurements.map(({ name }) => name)).toEqual(['holdfast.journal.lag', 'holdfast.runs']);
});

test('the journal lag metric is the age of the oldest event of a batch', () => {
  const events = numbered([
    { type: 'run.paused', at: after(50), reason: null, nodes: [], by: 'ann' },
    { type: 'run.resumed', at: after(55), by: 'ann' },
  ]);
  const [lag] = journalMeasurements({ events, approvals: [] }, RUN, ASKED_AT + 60_000, createNodeClock());
  expect(lag).toEqual({ name: 'holdfast.journal.lag', value: 10, labels: {} });
});

test('the duration of each node visit and map element is measured across batches', () => {
  const clock = createNodeClock();
  const begin = { type: 'node.started', node: 'pay', visit: 1 } as const;
  measured(
    numbered([
      { ...begin, at: after(1) },
      { ...begin, index: 0, at: after(2) },
    ]),
    { clock },
  );
  const end = { type: 'node.completed', node: 'pay', visit: 1, update: {}, at: after(7) } as const;
  const labels = { graph: 'refund', outcome: 'completed' };
  expect(measured(numbered([{ ...end, index: 0 }, end, end]), { clock })).toEqual([
    { name: 'holdfast.node.duration', value: 5, labels },
    { name: 'holdfast.node.duration', value: 6, labels },
  ]);
});

test('an approval’s duration is measured when it closes, not at each vote', () => {
  const vote = { type: 'approval.decided', node: 'ask', visit: 1, approvalId: 'R.a1', by: 'ann' } as const;
  const decided = { ...vote, decision: 'approve', reason: null, args: null };
  const approvals = [{ ...anApproval('R', 'approved'), requestedAt: after(10) }];
  const events = numbered([
    { ...decided, at: after(20), status: 'pending' },
    { ...decided, at: after(40), status: 'approved' },
  ]);
  expect(measured(events, { approvals })).toEqual([
    { name: 'holdfast.approval.wait', value: 30, labels: { status: 'approved' } },
  ]);
});

test('the oldest open nodes are forgotten by the metrics beyond a limit', () => {
  const clock = createNodeClock();
  const event = { node: 'a', visit: 1, at: after(0) };
  clock.start('first', event);
  for (let n = 0; n < 10_000; n++) clock.start(`run-${n}`, event);
  expect(clock.end('first', { ...event, at: after(1) })).toBeNull();
  expect(clock.end('run-9999', { ...event, at: after(1) })).toBe(1);
});

import { decodeTime, isValid } from 'ulid';
import type { EventOf, JournalBatch, RunEvent } from '../../graph/journal/index.ts';
import type { Measurement } from './meter.ts';
import { forgetOldest } from '../../graph/values/index.ts';

/** The run of a batch. */
export interface MeasuredRun {
  readonly runId: string;
  readonly graph: string;
}

type MeasuredEvent<Type extends RunEvent['type']> = (
  event: EventOf<Type>,
  run: MeasuredRun,
  clock: NodeClock,
) => readonly Measurement[];

const OF_EVENTS: { readonly [Type in RunEvent['type']]?: MeasuredEvent<Type> } = {
  'step.started': ({ at, step, path }, run) => [
    { name: 'holdfast.steps', value: 1, labels: { graph: run.graph } },
    ...(step === 0 && !path ? startDelay(run, at) : []),
  ],
  'node.started'(event, { runId }, clock) {
    clock.start(runId, event);
    return [];
  },
  'node.completed': (event, run, clock) => nodeDuration(clock.end(run.runId, event), run, 'completed'),
  'node.failed': (event, run, clock) => nodeDuration(clock.end(run.runId, event), run, 'failed'),
  'node.skipped': (event, run, clock) => nodeDuration(clock.end(run.runId, event), run, 'skipped'),
  'model.called': ({ model, costUsd = 0 }, { graph }) =>
    costUsd > 0 ? [{ name: 'holdfast.usage.cost_usd', value: costUsd, labels: { graph, model } }] : [],
  'signal.ignored': ({ signal, reason }) => [
    { name: 'holdfast.signals.ignored', value: 1, labels: { signal, reason } },
  ],
  'run.completed': (event, run) => endMeasurements(run, event.at, 'completed'),
  'run.failed': (event, run) => endMeasurements(run, event.at, 'failed'),
  'run.canceled': (event, run) => endMeasurements(run, event.at, 'canceled'),
};

/**
 * Returns the measurements of a batch of the journal.
 * @param now when the batch was written, in milliseconds since the epoch
 */
export function journalMeasurements(
  { events, approvals }: Pick<JournalBatch, 'events' | 'approvals'>,
  run: MeasuredRun,
  now: number,
  clock: NodeClock,
): readonly Measurement[] {
  const requestedAt = new Map(approvals.map(({ id, requestedAt: at, status }) => [id, { at, status }]));
  const [first] = events;
  return [
    ...(first ? [{ name: 'holdfast.journal.lag', value: secondsUntil(now, first.at), labels: {} } as const] : []),
    ...events.flatMap((event) => measurementsOfEvent(event, run, clock)),
    ...events.flatMap((event) => measurementsOfApproval(event, requestedAt)),
  ];
}

function measurementsOfEvent<Type extends RunEvent['type']>(
  event: EventOf<Type>,
  run: MeasuredRun,
  clock: NodeClock,
): readonly Measurement[] {
  return OF_EVENTS[event.type]?.(event, run, clock) ?? [];
}

/** A vote that leaves the approval open is no decision. */
function measurementsOfApproval(
  event: RunEvent,
  requests: ReadonlyMap<string, { readonly at: string; readonly status: string }>,
): readonly Measurement[] {
  if (event.type !== 'approval.decided' && event.type !== 'approval.expired') return [];
  const request = requests.get(event.approvalId);
  if (!request || event.status === 'pending') return [];
  const value = secondsUntil(Date.parse(event.at), request.at);
  return [{ name: 'holdfast.approval.wait', value, labels: { status: event.status } }];
}

function startDelay({ runId, graph }: MeasuredRun, at: string): readonly Measurement[] {
  const value = secondsSinceRequest(runId, at);
  return value === null ? [] : [{ name: 'holdfast.run.start_delay', value, labels: { graph } }];
}

function nodeDuration(value: number | null, { graph }: MeasuredRun, outcome: string): readonly Measurement[] {
  return value === null ? [] : [{ name: 'holdfast.node.duration', value, labels: { graph, outcome } }];
}

/** @param at the end of the run (RFC 3339) */
export function endMeasurements({ runId, graph }: MeasuredRun, at: string, outcome: string): readonly Measurement[] {
  const value = secondsSinceRequest(runId, at);
  return [
    { name: 'holdfast.runs', value: 1, labels: { graph, outcome } },
    ...(value === null ? [] : [{ name: 'holdfast.run.duration', value, labels: { graph, outcome } } as const]),
  ];
}

/** The seconds since the request for a run, whose id contains the time. @returns `null` for an id without a time */
function secondsSinceRequest(runId: string, at: string): number | null {
  return isValid(runId) ? Math.max(0, Date.parse(at) - decodeTime(runId)) / 1_000 : null;
}

function secondsUntil(now: number, at: string): number {
  return Math.max(0, now - Date.parse(at)) / 1_000;
}

type NodeEvent = Pick<EventOf<'node.started'>, 'node' | 'visit' | 'index' | 'path' | 'at'>;

/** Remembers the start times of nodes until they end. */
export interface NodeClock {
  start(runId: string, event: NodeEvent): void;
  /** @returns the seconds since the start; `null` if it is unknown here */
  end(runId: string, event: NodeEvent): number | null;
}

/** The number of nodes that are remembered; the oldest are dropped. */
const MAX_OPEN = 10_000;

export function createNodeClock(): NodeClock {
  const begun = new Map<string, number>();
  const keyOf = (runId: string, { node, visit, index, path }: NodeEvent): string =>
    JSON.stringify([runId, path ?? [], node, visit, index ?? null]);
  return {
    start(runId, event) {
      begun.set(keyOf(runId, event), Date.parse(event.at));
      forgetOldest(begun, MAX_OPEN);
    },
    end(runId, event) {
      const key = keyOf(runId, event);
      const at = begun.get(key);
      begun.delete(key);
      return at === undefined ? null : Math.max(0, Date.parse(event.at) - at) / 1_000;
    },
  };
}

import type { Approval } from '../run/approval.ts';
import { checkpointId, parseCheckpointId, keyInRun, keyWithoutRun } from '../run/ids.ts';
import type { Spent } from '../run/limits.ts';
import { withoutEmpty } from '../values/collections.ts';
import type { JournalBatch } from './batch.ts';
import type { Checkpoint } from './resume-point.ts';
import type { EndedRunState } from './ended-run.ts';
import type { RunEvent } from './events.ts';
import { packEvents, unpackEvents, firstCallKey } from './packed-events.ts';
import type { Carrier, EventGroup } from './packed-events.ts';
import { NOT_BEGUN } from './run-view.ts';
import type { RunView, Usage } from './run-view.ts';
import type { RecordedBody, RecordedOccurrence } from '../run/occurrence.ts';
import { deepEqual, toJson } from '../values/json.ts';

/**
 * A journal batch as an activity carries it into Temporal's history. Neighboring events share their common fields;
 * empty and implied fields are left out.
 */
export interface PackedBatch {
  readonly events: readonly EventGroup[];
  readonly checkpoints?: readonly PackedCheckpoint[];
  readonly approvals?: readonly Approval[];
  readonly occurrences?: readonly PackedOccurrence[];
  readonly view: PackedView;
  readonly endedState?: EndedRunState | null;
}

/** The fields of a checkpoint that its `checkpoint.saved` event does not hold. */
interface PackedCheckpoint {
  /** Absent: the checkpoint with the number before. */
  readonly parentId?: string | null;
  readonly changes: Checkpoint['changes'];
  /** The last one has no `spent` where it equals the usage of the view. */
  readonly resumePoint?: Checkpoint['resumePoint'];
}

/** A view without empty fields, and without those that the last event or checkpoint implies. */
type PackedView = Partial<Omit<RunView, 'usage' | 'startedAt'>> & { readonly usage: Partial<Usage> };

/** Packs a batch for its carrier. `unpackBatch` with the same carrier restores it. */
export function packBatch(
  { events, checkpoints, approvals, occurrences, view, endedState }: JournalBatch,
  carrier: Carrier,
): PackedBatch {
  const last = checkpoints.at(-1);
  const packed = checkpoints.map((checkpoint) => packCheckpoint(checkpoint, checkpoint === last ? view.usage : null));
  return {
    events: packEvents(events, carrier),
    ...(packed.length > 0 && { checkpoints: packed }),
    ...(approvals.length > 0 && { approvals }),
    ...(occurrences.length > 0 && { occurrences: packOccurrences(occurrences, { runId: carrier.runId, events }) }),
    view: packView(view, { event: events.at(-1), checkpoint: last }),
    ...(endedState && { endedState }),
  };
}

/** Unpacks a batch. @throws TypeError when it lacks the event of a checkpoint */
export function unpackBatch(
  { events: groups, checkpoints = [], approvals = [], occurrences: packed = [], view, endedState = null }: PackedBatch,
  carrier: Carrier,
): JournalBatch {
  const events = unpackEvents(groups, carrier);
  const saved = events.filter((event) => event.type === 'checkpoint.saved');
  const usage = { ...NOT_BEGUN.usage, ...view.usage };
  const restored = checkpoints.map((checkpoint, rank) =>
    restoreCheckpoint(saved[rank], checkpoint, rank === checkpoints.length - 1 ? usage : null),
  );
  const end = { event: events.at(-1), checkpoint: restored.at(-1) };
  const occurrences = unpackOccurrences(packed, { runId: carrier.runId, events });
  return { events, checkpoints: restored, approvals, occurrences, view: restoreView(view, usage, end), endedState };
}

/** The last event and checkpoint of a batch. */
interface BatchEnd {
  readonly event: RunEvent | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

function packView(view: RunView, end: BatchEnd): PackedView {
  const { endedAt, waitingFor, output, error, usage, raisedLimits, deadline, pausedAt, pending, undone } = view;
  return {
    ...(waitingFor.length > 0 && { waitingFor }),
    ...(pending.length > 0 && { pending }),
    ...(output !== null && { output }),
    ...(error && { error }),
    ...(endedAt !== null && { endedAt }),
    ...differing(view, impliedBy(end)),
    ...(Object.keys(raisedLimits).length > 0 && { raisedLimits }),
    ...(deadline && { deadline }),
    ...(pausedAt !== undefined && { pausedAt }),
    ...(undone && { undone }),
    usage: withoutEmpty(usage),
  };
}

function differing({ status, step, next, checkpointId }: ImpliedView, implied: ImpliedView): Partial<ImpliedView> {
  return {
    ...(status !== implied.status && { status }),
    ...(step !== implied.step && { step }),
    ...(next.join(' ') !== implied.next.join(' ') && { next }),
    ...(checkpointId !== implied.checkpointId && { checkpointId }),
  };
}

function restoreView(view: PackedView, usage: Usage, end: BatchEnd): RunView {
  return { ...NOT_BEGUN, ...impliedBy(end), ...view, usage };
}

type ImpliedView = Pick<RunView, 'status' | 'step' | 'next' | 'checkpointId'>;

/** The fields of most views: a running run, at its last event and checkpoint. */
function impliedBy({ event, checkpoint }: BatchEnd): ImpliedView {
  return {
    status: 'running',
    step: event?.step ?? 0,
    next: checkpoint?.next ?? [],
    checkpointId: checkpoint?.id ?? null,
  };
}

function packCheckpoint({ id, parentId, changes, resumePoint }: Checkpoint, usage: Usage | null): PackedCheckpoint {
  const { spent = {}, ...rest } = resumePoint;
  const isImplied = usage !== null && JSON.stringify(spent) === JSON.stringify(spentOf(usage));
  const change = { ...rest, ...(!isImplied && (usage || Object.keys(spent).length > 0) && { spent }) };
  return {
    ...(parentId !== precedingId(id) && { parentId }),
    changes,
    ...(Object.keys(change).length > 0 && { resumePoint: change }),
  };
}

function restoreCheckpoint(
  event: RunEvent | undefined,
  { parentId, changes, resumePoint = {} }: PackedCheckpoint,
  usage: Usage | null,
): Checkpoint {
  if (event?.type !== 'checkpoint.saved') throw new TypeError('A journal batch holds a checkpoint without its event');
  const { seq, at: createdAt, checkpoint: id, source, next } = event;
  const step = source === 'update' || source === 'fork' ? event.step - 1 : event.step;
  const { spent = usage ? spentOf(usage) : {}, ...rest } = resumePoint;
  return {
    id,
    parentId: parentId === undefined ? precedingId(id) : parentId,
    seq,
    step,
    source,
    next,
    createdAt,
    changes,
    resumePoint: { ...rest, ...withoutEmpty({ spent }) },
  };
}

/** A view's usage as the `spent` of a checkpoint. */
function spentOf({ costUsd, ...counts }: Usage): Partial<Spent> {
  const { inputTokens, outputTokens, modelCalls, toolCalls } = counts;
  const costMicros = Math.round(costUsd * 1_000_000);
  return withoutEmpty({ inputTokens, outputTokens, costMicros, modelCalls, toolCalls });
}

/** The id of the checkpoint before; `null`: it is the first. */
function precedingId(id: string): string | null {
  const parsed = parseCheckpointId(id);
  return parsed && parsed.number > 1 ? checkpointId({ ...parsed, number: parsed.number - 1 }) : null;
}

/** An occurrence without what the events of its batch say: mostly its number alone. */
export type PackedOccurrence = number | ({ readonly number: number } & Partial<Moment> & PackedBody);

type Moment = Pick<RecordedOccurrence, 'seq' | 'at'>;

/** Without a kind: a call that was completed; without a key, too: the call that the event after it is about. */
type PackedBody = RecordedBody | { readonly kind?: undefined; readonly key?: string };

/** The batch that occurrences travel in. */
interface Surroundings {
  readonly runId: string;
  readonly events: readonly RunEvent[];
}

function packOccurrences(
  occurrences: readonly RecordedOccurrence[],
  { runId, events }: Surroundings,
): PackedOccurrence[] {
  const cursor = openCursor(events);
  return occurrences.map(({ number, seq, at, ...body }) => {
    const impliedSeq = cursor.expectedSeq();
    const event = cursor.moveTo(seq);
    const packed = {
      ...(seq !== impliedSeq && { seq }),
      ...(at !== timeOf(event) && { at }),
      ...packBody(body, { event, runId }),
    };
    return Object.keys(packed).length > 0 ? { number, ...packed } : number;
  });
}

function unpackOccurrences(packed: readonly PackedOccurrence[], { runId, events }: Surroundings): RecordedOccurrence[] {
  const cursor = openCursor(events);
  return packed.map((one) => {
    const { number, seq: givenSeq, at: givenAt, ...body } = typeof one === 'number' ? { number: one } : one;
    const seq = givenSeq ?? cursor.expectedSeq();
    const event = cursor.moveTo(seq);
    return { ...unpackBody(body, { event, runId }), number, seq, at: givenAt ?? timeOf(event) };
  });
}

/** Walks through the events of a batch, one occurrence after the other. */
interface EventCursor {
  /** The number of the event before the next call's event; without such an event, of the one before the first. */
  expectedSeq(): number;
  /** Moves past an occurrence that came after the event `seq`. @returns the first event that it led to */
  moveTo(seq: number): RunEvent | undefined;
}

function openCursor(events: readonly RunEvent[]): EventCursor {
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const calls = events.filter(isCalled);
  const expected = calls.length > 0 ? calls : events.slice(0, 1);
  let at = 0;
  return {
    expectedSeq: () => (expected[at]?.seq ?? 0) - 1,
    moveTo(seq) {
      while ((expected[at]?.seq ?? Infinity) <= seq + 1) at += 1;
      return bySeq.get(seq + 1);
    },
  };
}

type Called = RunEvent & { readonly type: 'tool.called' | 'model.called' };

function isCalled(event: RunEvent): event is Called {
  return event.type === 'tool.called' || event.type === 'model.called';
}

function timeOf(event: RunEvent | undefined): number {
  return event ? Date.parse(event.at) : 0;
}

/** What a body follows from. */
interface Origin {
  readonly runId: string;
  readonly event: RunEvent | undefined;
}

function packBody(body: RecordedBody, origin: Origin): PackedBody {
  const implied = impliedByOccurrence(origin);
  if (implied?.kind === body.kind && deepEqual(toJson(implied), toJson(body))) return {};
  if (!('key' in body)) return body;
  const key = keyWithoutRun(origin.runId, body.key);
  return body.kind === 'call.completed' && !body.reply ? { key } : { ...body, key };
}

function unpackBody(packed: PackedBody, origin: Origin): RecordedBody {
  const body = packed.kind === undefined ? (completed(packed.key) ?? impliedByOccurrence(origin)) : packed;
  if (!body) throw new TypeError('A journal batch holds an occurrence without its event');
  return 'key' in body ? { ...body, key: keyInRun(origin.runId, body.key) } : body;
}

function completed(key: string | undefined): RecordedBody | null {
  return key === undefined ? null : { kind: 'call.completed', key };
}

/** The end of the call that an event is about. */
function impliedByOccurrence({ event, runId }: Origin): RecordedBody | null {
  if (!event || !isCalled(event)) return null;
  const key = event.type === 'tool.called' ? event.idempotencyKey : firstCallKey(event, { runId });
  const { error } = event;
  if (!error) return { kind: 'call.completed', key };
  const isLocal = event.type === 'tool.called' && event.local;
  return { kind: 'call.failed', key, failure: { callFailed: true, error }, ...(isLocal && { isLocal }) };
}

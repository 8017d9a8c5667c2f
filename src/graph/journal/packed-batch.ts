import type { Approval } from '../run/approvals/approval.ts';
import { checkpointId, parseCheckpointId } from '../run/ids.ts';
import type { Spent } from '../run/spending.ts';
import { withoutEmpty } from '../values/collections.ts';
import type { JournalBatch } from './batch.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { EndedRunState } from './ended-run.ts';
import type { RunEvent } from './events.ts';
import { packEvents, unpackEvents } from './packed-events.ts';
import type { Carrier, EventGroup } from './packed-events.ts';
import { packOccurrences, unpackOccurrences } from './packed-occurrences.ts';
import type { PackedOccurrence } from './packed-occurrences.ts';
import { NOT_BEGUN } from './run-view.ts';
import type { RunView, Usage } from './run-view.ts';

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

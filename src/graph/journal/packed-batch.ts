import type { Approval } from '../run/approval.ts';
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
 * A journal batch as it travels with an activity and stays in Temporal's history: what neighboring events share is said
 * once, what is empty or follows from something else is left out.
 */
export interface PackedBatch {
  readonly events: readonly EventGroup[];
  readonly checkpoints?: readonly PackedCheckpoint[];
  readonly approvals?: readonly Approval[];
  readonly occurrences?: readonly PackedOccurrence[];
  readonly view: PackedView;
  readonly endedState?: EndedRunState | null;
}

/** What the `checkpoint.saved` event of the same rank does not say. */
interface PackedCheckpoint {
  /** Absent: the checkpoint before. */
  readonly parentId?: string | null;
  readonly changes: Checkpoint['changes'];
  /** Without `spent` in the last one: what the view says is used. */
  readonly resumePoint?: Checkpoint['resumePoint'];
}

/** Without what is empty, and what the last event or checkpoint says. When the run has begun, its first event says. */
type PackedView = Partial<Omit<RunView, 'usage' | 'startedAt'>> & { readonly usage: Partial<Usage> };

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
  const ends = { event: events.at(-1), checkpoint: restored.at(-1) };
  const occurrences = unpackOccurrences(packed, { runId: carrier.runId, events });
  return { events, checkpoints: restored, approvals, occurrences, view: restoreView(view, usage, ends), endedState };
}

/** What a batch ends with. */
interface Ends {
  readonly event: RunEvent | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

function packView(view: RunView, ends: Ends): PackedView {
  const { status, endedAt, step, next, waitingFor, output, error, usage, checkpointId, pending } = view;
  const implied = impliedBy(ends);
  return {
    ...(waitingFor.length > 0 && { waitingFor }),
    ...(pending.length > 0 && { pending }),
    ...(output !== null && { output }),
    ...(error && { error }),
    ...(endedAt !== null && { endedAt }),
    ...(status !== implied.status && { status }),
    ...(step !== implied.step && { step }),
    ...(next.join(' ') !== implied.next.join(' ') && { next }),
    ...(checkpointId !== implied.checkpointId && { checkpointId }),
    usage: withoutEmpty(usage),
  };
}

function restoreView(view: PackedView, usage: Usage, ends: Ends): RunView {
  return { ...NOT_BEGUN, ...impliedBy(ends), ...view, usage };
}

type ImpliedView = Pick<RunView, 'status' | 'step' | 'next' | 'checkpointId'>;

/** A run is mostly running, and stands where its last event and checkpoint say. */
function impliedBy({ event, checkpoint }: Ends): ImpliedView {
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
  const said = { ...rest, ...(!isImplied && (usage || Object.keys(spent).length > 0) && { spent }) };
  return {
    ...(parentId !== before(id) && { parentId }),
    changes,
    ...(Object.keys(said).length > 0 && { resumePoint: said }),
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
  const whole = { ...rest, ...withoutEmpty({ spent }) };
  return {
    id,
    parentId: parentId === undefined ? before(id) : parentId,
    seq,
    step,
    source,
    next,
    createdAt,
    changes,
    resumePoint: whole,
  };
}

/** What a checkpoint says is spent, when it is what the view says is used. */
function spentOf({ costUsd, ...counts }: Usage): Partial<Spent> {
  const { inputTokens, outputTokens, modelCalls, toolCalls } = counts;
  const costMicros = Math.round(costUsd * 1_000_000);
  return withoutEmpty({ inputTokens, outputTokens, costMicros, modelCalls, toolCalls });
}

/** The checkpoint of the run before this one. */
function before(id: string): string | null {
  const made = parseCheckpointId(id);
  return made && made.number > 1 ? checkpointId({ ...made, number: made.number - 1 }) : null;
}

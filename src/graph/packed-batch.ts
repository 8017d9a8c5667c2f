import type { Approval } from './approval.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ClosedRun } from './closed-run.ts';
import type { RunEvent } from './events.ts';
import type { JournalBatch } from './journal-batch.ts';
import { NOT_BEGUN } from './run-view.ts';
import type { RunView } from './run-view.ts';
import { withoutEmpty } from './without-empty.ts';

/**
 * A journal batch as it travels with an activity and stays in Temporal's history: what neighboring events share is said
 * once, what is empty or follows from something else is left out.
 */
export interface PackedBatch {
  readonly events: readonly EventGroup[];
  readonly checkpoints?: readonly PackedCheckpoint[];
  readonly approvals?: readonly Approval[];
  readonly view: PackedView;
  readonly closed?: ClosedRun | null;
}

/** Events of one moment and place. Their numbers follow on the last of the group before, unless `seq` says otherwise. */
interface EventGroup extends Place {
  readonly seq?: number;
  /** Milliseconds since the epoch; absent: that of the group before. */
  readonly at?: number;
  readonly events: object[];
}

/** Where in a run events happened. */
interface Place {
  readonly step: number;
  readonly path?: readonly string[] | undefined;
  readonly node?: string | undefined;
  readonly visit?: number | undefined;
  readonly index?: number | undefined;
}

/** What the `checkpoint.saved` event of the same rank does not say. */
type PackedCheckpoint = Pick<Checkpoint, 'parentId' | 'changes'> & Partial<Pick<Checkpoint, 'place'>>;

/** Without what is empty, and without the checkpoint when the batch holds it. */
type PackedView = Partial<Omit<RunView, 'usage'>> & { readonly usage: Partial<RunView['usage']> };

export function packBatch({ events, checkpoints, approvals, view, closed }: JournalBatch): PackedBatch {
  const { usage, checkpointId, ...rest } = view;
  const isHeld = checkpoints.at(-1)?.id === checkpointId;
  return {
    events: groupEvents(events),
    ...(checkpoints.length > 0 && { checkpoints: checkpoints.map(packCheckpoint) }),
    ...(approvals.length > 0 && { approvals }),
    view: { ...withoutEmpty(rest), usage: withoutEmpty(usage), ...(!isHeld && { checkpointId }) },
    ...(closed && { closed }),
  };
}

export function unpackBatch({
  events: groups,
  checkpoints = [],
  approvals = [],
  view,
  closed = null,
}: PackedBatch): JournalBatch {
  const events = spreadEvents(groups);
  const saved = events.filter((event) => event.type === 'checkpoint.saved');
  const restored = checkpoints.map((packed, rank) => restoreCheckpoint(saved[rank], packed));
  const checkpointId = restored.at(-1)?.id ?? null;
  const usage = { ...NOTHING.usage, ...view.usage };
  return { events, checkpoints: restored, approvals, view: { ...NOTHING, checkpointId, ...view, usage }, closed };
}

function groupEvents(events: readonly RunEvent[]): EventGroup[] {
  const groups: EventGroup[] = [];
  let last: RunEvent | null = null;
  for (const event of events) {
    const { seq, at, place, body } = split(event);
    const group = groups.at(-1);
    const follows = last !== null && seq === last.seq + 1;
    const isSameMoment = last !== null && at === last.at;
    if (group && follows && isSameMoment && isSamePlace(group, place)) group.events.push(body);
    else
      groups.push({ ...(!follows && { seq }), ...(!isSameMoment && { at: Date.parse(at) }), ...place, events: [body] });
    last = event;
  }
  return groups;
}

interface SplitEvent {
  readonly seq: number;
  readonly at: string;
  readonly place: Place;
  readonly body: object;
}

function split(event: RunEvent): SplitEvent {
  const { seq, at, step, path, node, visit, index, ...body } = {
    path: undefined,
    node: undefined,
    visit: undefined,
    index: undefined,
    ...event,
  };
  return { seq, at, place: { step, path, node, visit, index }, body };
}

function isSamePlace(a: Place, b: Place): boolean {
  const hasSamePath = a.path?.join('/') === b.path?.join('/');
  return hasSamePath && a.step === b.step && a.node === b.node && a.visit === b.visit && a.index === b.index;
}

function spreadEvents(groups: readonly EventGroup[]): RunEvent[] {
  const events: RunEvent[] = [];
  let seq = 0;
  let at = '';
  for (const { seq: first, at: moment, events: bodies, ...place } of groups) {
    seq = first ?? seq;
    at = moment === undefined ? at : new Date(moment).toISOString();
    for (const body of bodies) events.push(toEvent({ seq: seq++, at, ...place, ...body }));
  }
  return events;
}

function toEvent(value: object): RunEvent {
  if (isEvent(value)) return value;
  throw new TypeError('A journal batch holds what is no event');
}

function isEvent(value: object): value is RunEvent {
  return 'type' in value && typeof value.type === 'string';
}

function packCheckpoint({ parentId, changes, place }: Checkpoint): PackedCheckpoint {
  return { parentId, changes, ...(Object.keys(place).length > 0 && { place }) };
}

function restoreCheckpoint(
  event: RunEvent | undefined,
  { parentId, changes, place = {} }: PackedCheckpoint,
): Checkpoint {
  if (event?.type !== 'checkpoint.saved') throw new TypeError('A journal batch holds a checkpoint without its event');
  const { seq, step, at: createdAt, checkpoint: id, source, next } = event;
  return { id, parentId, seq, step, source, next, createdAt, changes, place };
}

/** What an absent field of a packed view stands for. */
const NOTHING: RunView = { ...NOT_BEGUN, step: 0 };

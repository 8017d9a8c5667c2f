import type { ChannelSet } from '../channels/channel.ts';
import { carryChannels, freshScope, finishedNodesAt } from '../run/scope-position.ts';
import type { BufferedEvent, Run } from '../run/run.ts';
import type { NodeTask, Scope, ScopePosition, Trigger } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/limits.ts';
import type { BudgetUsage } from '../run/limits.ts';
import { withoutEmptyMembers } from '../values/collections.ts';
import { own, isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { ChannelChange } from '../channels/apply-writes.ts';
import { OwnedLists } from '../channels/reducer.ts';

/** The state of a run at a checkpoint, without its channel values. A fork starts from both. */
export interface ResumePoint extends Pick<Scope, 'deferred' | 'joins' | 'messages'> {
  readonly triggers: readonly Trigger[];
  /** Finished nodes whose edges have not been evaluated yet. */
  readonly pendingEdges: readonly string[];
  /** The breakpoint after a node at which the run has stopped. */
  readonly stoppedAt: {
    readonly at: 'after';
    readonly nodes: readonly string[];
    readonly next: readonly string[];
  } | null;
  /** The number of visits of each node. */
  readonly visits: Scope['visits'];
  /** Received events that no task has taken yet. */
  readonly bufferedEvents: readonly BufferedEvent[];
  readonly spent: BudgetUsage;
}

/**
 * A resume point as a checkpoint stores it: without empty parts, and without triggers that follow from `next`. `visits`
 * and `bufferedEvents` hold only the changes since the previous checkpoint.
 */
export type ResumePointChange = { readonly [K in keyof Omit<ResumePoint, 'spent'>]?: ResumePoint[K] } & {
  readonly spent?: Partial<BudgetUsage>;
};

/** The nodes whose visits have changed since the last checkpoint. */
export type VisitedNodes = readonly string[];

/**
 * Returns the current resume point of a run. In an open superstep it is the superstep's beginning, because no
 * checkpoint holds its tasks.
 */
export function resumePointNow(
  {
    root,
    spent,
    bufferedEvents,
    areBufferedEventsSaved,
  }: Pick<Run, 'root' | 'spent' | 'bufferedEvents' | 'areBufferedEventsSaved'>,
  visited: VisitedNodes,
): ResumePointChange {
  const { at, deferred, joins, messages } = root;
  const triggers = at.kind === 'running' ? at.tasks.map(toTrigger) : at.triggers;
  return {
    ...withoutEmptyMembers({
      triggers: areImplied(root, triggers) ? [] : triggers,
      deferred,
      joins,
      pendingEdges: finishedNodesAt(at),
      messages,
      stoppedAt: at.kind === 'after' ? { at: 'after' as const, nodes: at.nodes, next: at.next } : null,
      visits: changedVisits(root.visits, visited),
      spent: withoutEmptyMembers(spent),
    }),
    ...(!areBufferedEventsSaved && { bufferedEvents }),
  };
}

function changedVisits(visits: Scope['visits'], visited: VisitedNodes): Scope['visits'] {
  const changed: Record<string, number> = {};
  for (const node of visited) {
    const count = own(visits, node);
    if (count !== undefined) changed[node] = count;
  }
  return changed;
}

function toTrigger({ node, index, item, group, sortedAs }: NodeTask): Trigger {
  if (index === null) return { node };
  return { node, element: { item, index, ...(group && { group }), ...(sortedAs !== undefined && { sortedAs }) } };
}

/** True if the triggers follow from the names of the next nodes, which a checkpoint holds anyway. */
function areImplied({ at, deferred }: Pick<Scope, 'at' | 'deferred'>, triggers: readonly Trigger[]): boolean {
  const arePlain = (at.kind === 'ready' || at.kind === 'edges') && deferred.length === 0;
  return arePlain ? triggers.every(({ element }) => !element) : triggers.length === 0;
}

/** The parts that a checkpoint leaves out because they are empty. */
const EMPTY_RESUME_POINT: ResumePoint = {
  triggers: [],
  deferred: [],
  joins: {},
  pendingEdges: [],
  messages: 0,
  stoppedAt: null,
  visits: {},
  bufferedEvents: [],
  spent: NOTHING_SPENT,
};

/** The parts of a checkpoint that a resume point is built from. */
interface ResumableCheckpoint {
  readonly resumePoint: ResumePointChange;
  readonly next: readonly string[];
}

/** Folds a chain of checkpoints, oldest first, into a resume point. `before` holds the values before the chain. */
export function foldResumePoints(
  chain: readonly ResumableCheckpoint[],
  before: Pick<ResumePoint, 'visits' | 'bufferedEvents'> = EMPTY_RESUME_POINT,
): ResumePoint {
  const last = chain.at(-1);
  return {
    ...EMPTY_RESUME_POINT,
    ...(last && { triggers: impliedTriggers(last), ...last.resumePoint }),
    visits: Object.assign({}, before.visits, ...chain.map(({ resumePoint }) => resumePoint.visits)),
    bufferedEvents:
      chain.findLast(({ resumePoint }) => resumePoint.bufferedEvents)?.resumePoint.bufferedEvents ??
      before.bufferedEvents,
    spent: { ...NOTHING_SPENT, ...last?.resumePoint.spent },
  };
}

function impliedTriggers({ resumePoint: { stoppedAt, deferred }, next }: ResumableCheckpoint): readonly Trigger[] {
  return stoppedAt || deferred ? [] : next.map((node) => ({ node }));
}

/**
 * Returns the scope of a graph at a resume point. Channels are matched by name; `joins` must belong to the same graph.
 * @param step the superstep of the checkpoint
 */
export function scopeAtResumePoint(
  graph: ChannelSet,
  channels: Scope['channels'],
  resumePoint: ResumePoint,
  step: number,
): Scope {
  const { deferred, joins, messages, visits } = resumePoint;
  return {
    ...freshScope(graph),
    channels: carryChannels(graph, channels),
    step: step + 1,
    at: positionAtResumePoint(resumePoint),
    deferred,
    joins,
    messages,
    visits,
  };
}

function positionAtResumePoint({ triggers, pendingEdges: finished, stoppedAt }: ResumePoint): ScopePosition {
  if (stoppedAt) return { kind: 'after', nodes: stoppedAt.nodes, next: stoppedAt.next, finished, triggers };
  return finished.length > 0
    ? { kind: 'edges', finished, triggers }
    : { kind: 'ready', triggers, hasPassedBreakpoint: false };
}

/** A saved point of a run. It holds only the changes since its parent, so that storage grows with what a run writes. */
export interface Checkpoint {
  readonly id: string;
  readonly parentId: string | null;
  /** The number of its `checkpoint.saved` event. */
  readonly seq: number;
  /** The superstep that produced it; -1 for the input. */
  readonly step: number;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  /** The nodes that run next. */
  readonly next: readonly string[];
  readonly createdAt: string;
  readonly changes: Readonly<Record<string, ChannelChange>>;
  readonly resumePoint: ResumePointChange;
}

/** Folds a chain of checkpoints, oldest first, into channel values. `before` holds the values before the chain. */
export function foldCheckpoints(
  chain: readonly Pick<Checkpoint, 'changes'>[],
  before: Readonly<Record<string, Json>> = {},
): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = { ...before };
  const owned = new OwnedLists();
  for (const { changes } of chain) {
    for (const [channel, change] of Object.entries(changes))
      values[channel] = applyChange(values[channel] ?? null, change, owned);
  }
  return values;
}

function applyChange(value: Json, change: ChannelChange, owned: OwnedLists): Json {
  return 'set' in change ? change.set : owned.extend(isJsonList(value) ? value : [], change.append);
}

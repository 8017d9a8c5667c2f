import type { ChannelSet } from '../channels/channel.ts';
import { carryChannels, freshScope } from '../run/fresh-scope.ts';
import type { BufferedEvent, Run } from '../run/run.ts';
import { finishedAt } from '../run/position.ts';
import type { NodeTask, Scope, ScopePosition, Trigger } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/spending.ts';
import type { Spent } from '../run/spending.ts';
import { withoutEmpty } from '../values/collections.ts';
import { own } from '../values/json.ts';

/** Where a run stands at a checkpoint, besides its values: what a fork goes on from. */
export interface ResumePoint extends Pick<Scope, 'deferred' | 'joins' | 'messages'> {
  readonly triggers: readonly Trigger[];
  /** Nodes that have finished and whose edges are still to be evaluated. */
  readonly pendingEdges: readonly string[];
  /** The breakpoint after a node at which it stands. */
  readonly stoppedAt: {
    readonly at: 'after';
    readonly nodes: readonly string[];
    readonly next: readonly string[];
  } | null;
  /** How often each node has run. */
  readonly visits: Scope['visits'];
  /** Events that nothing has waited for yet. */
  readonly bufferedEvents: readonly BufferedEvent[];
  readonly spent: Spent;
}

/**
 * A place as a checkpoint holds it: what is empty is left out; so are triggers that the names of the next nodes tell.
 * Visits are those that have changed since the checkpoint before, events are there when they have.
 */
export type ResumePointChange = { readonly [K in keyof Omit<ResumePoint, 'spent'>]?: ResumePoint[K] } & {
  readonly spent?: Partial<Spent>;
};

/** What a superstep, or its being given up, has changed about visits. */
export type Visited = readonly string[];

/** Where a run stands now. A superstep that is open is gone back to its beginning: what its tasks did is in no checkpoint. */
export function resumePointNow(
  {
    root,
    spent,
    bufferedEvents,
    areBufferedEventsSaved,
  }: Pick<Run, 'root' | 'spent' | 'bufferedEvents' | 'areBufferedEventsSaved'>,
  visited: Visited,
): ResumePointChange {
  const { at, deferred, joins, messages } = root;
  const triggers = at.kind === 'running' ? at.tasks.map(toTrigger) : at.triggers;
  return {
    ...withoutEmpty({
      triggers: areNamesEnough(root, triggers) ? [] : triggers,
      deferred,
      joins,
      pendingEdges: finishedAt(at),
      messages,
      stoppedAt: at.kind === 'after' ? { at: 'after' as const, nodes: at.nodes, next: at.next } : null,
      visits: changedVisits(root.visits, visited),
      spent: withoutEmpty(spent),
    }),
    ...(!areBufferedEventsSaved && { bufferedEvents }),
  };
}

function changedVisits(visits: Scope['visits'], visited: Visited): Scope['visits'] {
  const changed: Record<string, number> = {};
  for (const node of visited) {
    const count = own(visits, node);
    if (count !== undefined) changed[node] = count;
  }
  return changed;
}

function toTrigger({ node, index, item, group }: NodeTask): Trigger {
  return { node, ...(index !== null && { element: { item, index, ...(group && { group }) } }) };
}

/** Plain triggers are told by the names of the next nodes, which a checkpoint has anyway. */
function areNamesEnough({ at, deferred }: Pick<Scope, 'at' | 'deferred'>, triggers: readonly Trigger[]): boolean {
  const arePlain = (at.kind === 'ready' || at.kind === 'edges') && deferred.length === 0;
  return arePlain ? triggers.every(({ element }) => !element) : triggers.length === 0;
}

/** What a checkpoint leaves out. */
const BEGINNING: ResumePoint = {
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

/** A checkpoint, as far as it says where its run stands. */
interface Milestone {
  readonly resumePoint: ResumePointChange;
  readonly next: readonly string[];
}

/** The place after a chain of checkpoints, oldest first, that goes on from `before`. */
export function foldResumePoints(
  chain: readonly Milestone[],
  before: Pick<ResumePoint, 'visits' | 'bufferedEvents'> = BEGINNING,
): ResumePoint {
  const last = chain.at(-1);
  return {
    ...BEGINNING,
    ...(last && { triggers: namedTriggers(last), ...last.resumePoint }),
    visits: Object.assign({}, before.visits, ...chain.map(({ resumePoint }) => resumePoint.visits)),
    bufferedEvents:
      chain.findLast(({ resumePoint }) => resumePoint.bufferedEvents)?.resumePoint.bufferedEvents ??
      before.bufferedEvents,
    spent: { ...NOTHING_SPENT, ...last?.resumePoint.spent },
  };
}

function namedTriggers({ resumePoint: { stoppedAt, deferred }, next }: Milestone): readonly Trigger[] {
  return stoppedAt || deferred ? [] : next.map((node) => ({ node }));
}

/** The scope of a graph at a place: its channels are those of the same name, joins are those of the same graph. */
export function scopeAt(
  graph: ChannelSet,
  { channels, resumePoint, step }: { channels: Scope['channels']; resumePoint: ResumePoint; step: number },
): Scope {
  const { deferred, joins, messages, visits } = resumePoint;
  return {
    ...freshScope(graph),
    channels: carryChannels(graph, channels),
    step: step + 1,
    at: positionAt(resumePoint),
    deferred,
    joins,
    messages,
    visits,
  };
}

function positionAt({ triggers, pendingEdges: finished, stoppedAt }: ResumePoint): ScopePosition {
  if (stoppedAt) return { kind: 'after', nodes: stoppedAt.nodes, next: stoppedAt.next, finished, triggers };
  return finished.length > 0
    ? { kind: 'edges', finished, triggers }
    : { kind: 'ready', triggers, hasPassedBreakpoint: false };
}

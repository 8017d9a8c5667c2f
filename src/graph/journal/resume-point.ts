import type { ChannelSet } from '../channels/channel.ts';
import { carryChannels, freshScope } from '../run/fresh-scope.ts';
import type { BufferedEvent, Run } from '../run/run.ts';
import type { NodeTask, Scope, Trigger } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/spending.ts';
import type { Spent } from '../run/spending.ts';
import { withoutEmpty } from '../values/collections.ts';
import { own } from '../values/json.ts';

/** Where a run stands at a checkpoint, besides its values: what a fork goes on from. */
export interface ResumePoint extends Pick<
  Scope,
  'triggers' | 'deferred' | 'joins' | 'pendingEdges' | 'messages' | 'stoppedAt'
> {
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
  const { superstep, deferred, joins, pendingEdges, messages, stoppedAt } = root;
  const triggers = superstep ? superstep.tasks.map(toTrigger) : root.triggers;
  return {
    ...withoutEmpty({
      triggers: areNamesEnough(root, triggers) ? [] : triggers,
      deferred,
      joins,
      pendingEdges,
      messages,
      stoppedAt: stoppedAt?.at === 'after' ? stoppedAt : null,
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
function areNamesEnough(
  { superstep, deferred, stoppedAt }: Pick<Scope, 'superstep' | 'deferred' | 'stoppedAt'>,
  triggers: readonly Trigger[],
): boolean {
  if (superstep || stoppedAt || deferred.length > 0) return triggers.length === 0;
  return triggers.every(({ element }) => !element);
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
  const { triggers, deferred, joins, pendingEdges, messages, stoppedAt, visits } = resumePoint;
  return {
    ...freshScope(graph),
    channels: carryChannels(graph, channels),
    step: step + 1,
    triggers,
    deferred,
    joins,
    pendingEdges,
    messages,
    stoppedAt,
    visits,
  };
}

import type { CompiledGraph } from '../compile/compile.ts';
import { carryOver, freshScope } from '../run/fresh-scope.ts';
import type { KeptEvent } from '../run/run.ts';
import type { NodeTask, Scope, Trigger } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/spending.ts';
import type { Spent } from '../run/spending.ts';
import type { DraftRun } from '../superstep/draft.ts';
import { withoutEmpty } from '../values/collections.ts';
import { own } from '../values/json.ts';

/** Where a run stands at a checkpoint, besides its values: what a fork goes on from. */
export interface Place extends Pick<Scope, 'triggers' | 'deferred' | 'joins' | 'unfired' | 'messages' | 'hold'> {
  /** How often each node has run. */
  readonly visits: Scope['visits'];
  /** Events that nothing has waited for yet. */
  readonly events: readonly KeptEvent[];
  readonly spent: Spent;
}

/**
 * A place as a checkpoint holds it: what is empty is left out; so are triggers that the names of the next nodes tell.
 * Visits are those that have changed since the checkpoint before, events are there when they have.
 */
export type PlaceChange = { readonly [K in keyof Omit<Place, 'spent'>]?: Place[K] } & {
  readonly spent?: Partial<Spent>;
};

/** What a superstep, or its being given up, has changed about visits. */
export type Visited = readonly string[];

/** Where a run stands now. A superstep that is open is gone back to its beginning: what its tasks did is in no checkpoint. */
export function placeNow({ root, spent, events, areEventsSaved }: DraftRun, visited: Visited): PlaceChange {
  const { superstep, deferred, joins, unfired, messages, hold } = root;
  const triggers = superstep ? superstep.tasks.map(toTrigger) : root.triggers;
  return {
    ...withoutEmpty({
      triggers: areNamesEnough(root, triggers) ? [] : triggers,
      deferred,
      joins,
      unfired,
      messages,
      hold: hold?.at === 'after' ? hold : null,
      visits: changedVisits(root.visits, visited),
      spent: withoutEmpty(spent),
    }),
    ...(!areEventsSaved && { events }),
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

function toTrigger({ node, index, item, lane }: NodeTask): Trigger {
  return { node, ...(index !== null && { element: { item, index, ...(lane && { lane }) } }) };
}

/** Plain triggers are told by the names of the next nodes, which a checkpoint has anyway. */
function areNamesEnough(
  { superstep, deferred, hold }: Pick<Scope, 'superstep' | 'deferred' | 'hold'>,
  triggers: readonly Trigger[],
): boolean {
  if (superstep || hold || deferred.length > 0) return triggers.length === 0;
  return triggers.every(({ element }) => !element);
}

/** What a checkpoint leaves out. */
const NOWHERE: Place = {
  triggers: [],
  deferred: [],
  joins: {},
  unfired: [],
  messages: 0,
  hold: null,
  visits: {},
  events: [],
  spent: NOTHING_SPENT,
};

/** A checkpoint, as far as it says where its run stands. */
interface Milestone {
  readonly place: PlaceChange;
  readonly next: readonly string[];
}

/** The place after a chain of checkpoints, oldest first, that goes on from `before`. */
export function foldPlaces(chain: readonly Milestone[], before: Pick<Place, 'visits' | 'events'> = NOWHERE): Place {
  const last = chain.at(-1);
  return {
    ...NOWHERE,
    ...(last && { triggers: namedTriggers(last), ...last.place }),
    visits: Object.assign({}, before.visits, ...chain.map(({ place }) => place.visits)),
    events: chain.findLast(({ place }) => place.events)?.place.events ?? before.events,
    spent: { ...NOTHING_SPENT, ...last?.place.spent },
  };
}

function namedTriggers({ place: { hold, deferred }, next }: Milestone): readonly Trigger[] {
  return hold || deferred ? [] : next.map((node) => ({ node }));
}

/** The scope of a graph at a place: its channels are those of the same name, joins are those of the same graph. */
export function scopeAt(
  graph: CompiledGraph,
  { channels, place, step }: { channels: Scope['channels']; place: Place; step: number },
): Scope {
  const { triggers, deferred, joins, unfired, messages, hold, visits } = place;
  return {
    ...freshScope(graph),
    channels: carryOver(graph, channels),
    step: step + 1,
    triggers,
    deferred,
    joins,
    unfired,
    messages,
    hold,
    visits,
  };
}

import type { NodeTask, Scope, ScopePosition, Trigger } from './scope.ts';
import { isFinished } from './task-position.ts';
import type { ChannelSet } from '../channels/channel.ts';
import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';

/** Returns the tasks of a graph's open superstep. */
export function tasksOfScope({ at }: Pick<Scope, 'at'>): readonly NodeTask[] {
  return at.kind === 'running' ? at.tasks : [];
}

/** True if a node of a graph has run or is running. */
export function hasScopeBegun({ visits }: Pick<Scope, 'visits'>): boolean {
  return Object.keys(visits).length > 0;
}

/** Returns the triggers that are known without evaluating edges. An open superstep has none. */
export function triggersAtPosition(at: ScopePosition): readonly Trigger[] {
  return at.kind === 'running' ? [] : at.triggers;
}

/** Returns the finished nodes whose edges have not been evaluated. */
export function finishedNodesAt(at: ScopePosition): readonly string[] {
  return at.kind === 'edges' || at.kind === 'after' ? at.finished : [];
}

/** Returns the nodes of the breakpoint at which a graph is stopped. */
export function breakpointNodesAt(at: ScopePosition): readonly string[] {
  return at.kind === 'before' || at.kind === 'after' ? at.nodes : [];
}

/** Returns the unfinished nodes of an open superstep. Between supersteps, returns the triggered nodes. */
export function nextNodes({ at, deferred }: Pick<Scope, 'at' | 'deferred'>): readonly string[] {
  if (at.kind === 'after') return at.next;
  if (at.kind !== 'running') return namesOfNext({ triggers: triggersAtPosition(at), deferred });
  return sortedNames(at.tasks.filter((task) => !isFinished(task)));
}

/** Returns the names of the triggered nodes. Deferred nodes follow when no other node is triggered. */
export function namesOfNext({ triggers, deferred }: SortedTriggers): readonly string[] {
  return sortedNames(triggers.length > 0 ? triggers : deferred);
}

/** The triggers of ordinary nodes, and those of deferred nodes. */
export interface SortedTriggers {
  readonly triggers: readonly Trigger[];
  readonly deferred: readonly Trigger[];
}

function sortedNames(nodes: readonly { readonly node: string }[]): readonly string[] {
  return [...new Set(nodes.map(({ node }) => node))].sort();
}

/** Returns the channels of a graph with given values where the names match, and defaults elsewhere. */
export function carryChannels({ channels }: ChannelSet, values: Scope['channels']): Scope['channels'] {
  return Object.fromEntries(
    [...channels].map(([name, { initial, ephemeral }]) => {
      const carried = ephemeral ? undefined : own(values, name);
      return [name, carried === undefined ? initial : carried];
    }),
  );
}

/** Returns the scope of a graph that has not begun, with the channels' defaults. */
export function freshScope(graph: ChannelSet): Scope {
  return {
    step: -1,
    channels: carryChannels(graph, {}),
    at: { kind: 'edges', finished: [START], triggers: [] },
    deferred: [],
    joins: {},
    visits: {},
    messages: 0,
    widest: 0,
  };
}

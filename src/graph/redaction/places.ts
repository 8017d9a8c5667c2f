import { START } from '../definition/definition.ts';
import type { Source } from '../expression/sources.ts';
import { own } from '../values/json.ts';

/*
 * A place holds a value while a run executes: a channel, the item, the arguments, the result or the error of a node.
 * The names of nodes and channels have no `|` and no `/`, so that these separate them.
 */

export function channelPlace(graph: string, channel: string): string {
  return `${graph}|state.${channel}`;
}

/** The place of all channels together. */
export function statePlace(graph: string): string {
  return `${graph}|state`;
}

/**
 * A part of a node: `result`, or a member of it, `item`, `calls`, `error`; `values` of decisions; `undone`, the result of
 * its compensation. `answer` is all that comes to it from another run.
 */
export function nodePlace(graph: string, node: string, part: string): string {
  return `${graph}|${node}|${part}`;
}

/** The errors of a graph that belong to no node: of its input and its first edges. */
export function startErrorPlace(graph: string): string {
  return nodePlace(graph, START, 'error');
}

/** A node whose expressions are looked at; `hasParts`: the members of its result are places of their own. */
export interface Reader {
  readonly graph: string;
  readonly node: string;
  readonly hasParts: boolean;
}

/** True for the result of a node, or a member of it. */
export function isOfResult(source: Source): boolean {
  return source === 'result' || source.startsWith('result.');
}

/** Returns the places that the sources of an expression name. Sources that are no secret of anybody have none. */
export function placesOf(sources: Iterable<Source>, reader: Reader): readonly string[] {
  return [...sources].flatMap((source) => {
    const [name = ''] = source.split('.', 1);
    return own(PLACES, name)?.(source, reader) ?? [];
  });
}

const PLACES: Readonly<Record<string, (source: Source, reader: Reader) => readonly string[]>> = {
  state: (source, { graph }) => [`${graph}|${source}`],
  item: (_source, { graph, node }) => [nodePlace(graph, node, 'item')],
  args: (_source, { graph, node }) => [nodePlace(graph, node, 'calls')],
  result: (source, { graph, node, hasParts }) => [nodePlace(graph, node, hasParts ? source : 'result')],
  error: (source, { graph, node }) =>
    source === 'error' || source === 'error.message' ? [nodePlace(graph, node, 'error')] : [],
};

import { isMembers } from '../form/fields.ts';

/** A definition as the API returns it: any JSON object. */
export type Definition = Readonly<Record<string, unknown>>;

export const START = '__start__';
export const END = '__end__';

/** The nodes of a definition, by their ids. */
export function nodesOf({ nodes }: Definition): readonly (readonly [id: string, node: Definition])[] {
  return isMembers(nodes) ? Object.entries(nodes).map(([id, node]) => [id, isMembers(node) ? node : {}]) : [];
}

/**
 * The graph inside a node: its definition, the name of a published one, or `null`. Graphs as tools are nodes of one.
 * @param outer the definition that the node is of
 */
export function innerOf(node: Definition, outer: Definition): Definition | string | null {
  return node['type'] === 'subgraph' ? subgraphOf(node) : toolGraphOf(calledTools(node, outer));
}

function subgraphOf({ graph }: Definition): Definition | string | null {
  return isMembers(graph) || typeof graph === 'string' ? graph : null;
}

function toolGraphOf(tools: readonly unknown[]): Definition | null {
  const nodes = tools.filter(isMembers).flatMap(({ graph, as }) => {
    if (typeof graph !== 'string') return [];
    const name = typeof as === 'string' ? as : graph.replace(/@.*$/, '');
    return [[name, { type: 'subgraph', graph }] as const];
  });
  return nodes.length === 0 ? null : { name: 'tools', nodes: Object.fromEntries(nodes), edges: [] };
}

/** The tools that a node calls. A node that executes the calls of an `llm` and lists no tools has those of the `llm`. */
function calledTools({ type, tools, calls }: Definition, outer: Definition): readonly unknown[] {
  if (type !== 'agent' && type !== 'tool') return [];
  if (Array.isArray(tools)) return tools;
  const [requester, ...others] = nodesOf(outer).filter(
    ([, node]) => typeof calls === 'string' && keepsMessagesIn(calls, node),
  );
  const offered = others.length === 0 ? requester?.[1]['tools'] : null;
  return Array.isArray(offered) ? offered : [];
}

/** True for an `llm` that writes its tool calls to a channel. */
function keepsMessagesIn(channel: string, { type, messages, write }: Definition): boolean {
  if (type !== 'llm') return false;
  return messages === channel || write === channel || (isMembers(write) && Object.hasOwn(write, channel));
}

/** A node's type and subject, which a diagram shows next to its id. */
export function describeNode(node: Definition): string {
  const inner = node['type'] === 'subgraph' ? subgraphOf(node) : null;
  const name = typeof inner === 'string' ? inner : inner?.['name'];
  const about = [node['tool'], node['function'], node['model'], node['event'], name].find(
    (value) => typeof value === 'string',
  );
  const type = typeof node['type'] === 'string' ? node['type'] : 'node';
  return typeof about === 'string' ? `${type}: ${about}` : type;
}

/** Notes for a node to which no arrow leads: it runs last when a run is canceled, or when it fails. */
export function lastNodeNotes(id: string, { onCancel, onFail }: Definition): readonly string[] {
  const afterFailure = isMembers(onFail) ? onFail['to'] : onFail;
  return [...(onCancel === id ? ['last when canceled'] : []), ...(afterFailure === id ? ['last when failed'] : [])];
}

/** An arrow of a drawing. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string | null;
  /** True: not an edge of the definition, but a target that the node chooses itself. */
  readonly isDetour: boolean;
}

/** The arrows of a definition, without those from or to nodes that do not exist. */
export function arrowsOf(definition: Definition): readonly Arrow[] {
  const nodes = nodesOf(definition);
  const known = new Set([START, END, ...nodes.map(([id]) => id)]);
  const edges = Array.isArray(definition['edges']) ? definition['edges'].filter(isMembers) : [];
  const all = [...edges.flatMap(arrowsOfEdge), ...nodes.flatMap(([id, node]) => arrowsOfNode(id, node))];
  return all.filter(({ from, to }) => known.has(from) && known.has(to));
}

type Outgoing = Pick<Arrow, 'to' | 'label'>;

function arrowsOfEdge(edge: Definition): readonly Arrow[] {
  const outgoing = outgoingOf(edge);
  return toList(edge['from']).flatMap((from) => outgoing.map((arrow) => ({ from, ...arrow, isDetour: false })));
}

function outgoingOf(edge: Definition): readonly Outgoing[] {
  const { branches, paths, default: otherwise, forEach, to } = edge;
  if (Array.isArray(branches))
    return branches
      .filter(isMembers)
      .flatMap(({ when, to }) => arrowsTo(to, typeof when === 'string' ? when : 'default'));
  const each = typeof forEach === 'string' ? `for each of ${forEach}` : null;
  const labelOf = (value: string): string => (each === null ? value : `${value}: ${each}`);
  if (isMembers(paths))
    return [
      ...Object.entries(paths).flatMap(([value, target]) => arrowsTo(target, labelOf(value))),
      ...(otherwise === undefined ? [] : arrowsTo(otherwise, labelOf('default'))),
    ];
  return arrowsTo(to, each);
}

/** An empty list of targets means the end. */
function arrowsTo(targets: unknown, label: string | null): readonly Outgoing[] {
  const named = toList(targets);
  return (named.length === 0 ? [END] : named).map((to) => ({ to, label }));
}

function arrowsOfNode(from: string, { onError, mayGoto, handoff }: Definition): readonly Arrow[] {
  const onFailure = isMembers(onError) ? toList(onError['to']) : [];
  return [
    ...onFailure.map((to) => ({ from, to, label: 'on error', isDetour: true })),
    ...toList(mayGoto).map((to) => ({ from, to, label: 'goto', isDetour: true })),
    ...toList(handoff).map((to) => ({ from, to, label: 'hand-off', isDetour: true })),
  ];
}

function toList(names: unknown): readonly string[] {
  return [names].flat().filter((name) => typeof name === 'string');
}

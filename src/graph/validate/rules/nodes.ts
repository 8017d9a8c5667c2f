import { END, START } from '../../definition/definition.ts';
import { graphToolsAt } from '../../definition/graph-tools.ts';
import {
  namesAt,
  namesInFields,
  fieldsOfKind,
  describeNode,
  innerGraphAt,
} from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';
import { addToList } from '../../values/collections.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { isJsonObject, own, membersIn } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';

/** Finds the name of a node that doesn't exist. */
export const unknownNodes = defineRule({
  codes: ['UNKNOWN_NODE'],
  find: (subject) => [
    ...unknownNames(
      subject,
      subject.edges.flatMap(({ sources }) => sources),
      [START],
    ),
    ...unknownNames(
      subject,
      subject.edges.flatMap(({ targets }) => targets),
      [END],
    ),
    ...unknownNames(subject, [...subject.nodes.values()].flatMap(gotoTargetsOf), [END]),
    ...unknownNames(subject, breakpointNames(subject), ['*']),
    ...unknownNames(subject, lastNodesOf(subject), []),
  ],
});

/** Returns the nodes that a node may go to, in addition to its edges. */
function gotoTargetsOf(node: SubjectNode): readonly LocatedName[] {
  const { onError } = node.fields;
  return [
    ...(isJsonObject(onError) ? namesAt(onError['to'], `${node.path}/onError/to`) : []),
    ...namesInFields(node, fieldsOfKind('goto')),
  ];
}

/** Returns the nodes with a breakpoint. */
function breakpointNames({ definition }: ValidationSubject): readonly LocatedName[] {
  return ['interruptBefore', 'interruptAfter'].flatMap((field) => namesAt(definition[field], `/${field}`));
}

/** Returns the nodes that run last if a run is canceled or fails. */
function lastNodesOf({ definition: { onCancel, onFail } }: ValidationSubject): readonly LocatedName[] {
  return [
    ...namesAt(onCancel, '/onCancel'),
    ...(isJsonObject(onFail) ? namesAt(onFail['to'], '/onFail/to') : namesAt(onFail, '/onFail')),
  ];
}

function unknownNames(
  { nodes }: ValidationSubject,
  found: readonly LocatedName[],
  also: readonly string[],
): GraphIssues<'UNKNOWN_NODE'> {
  const known = new Set([...nodes.keys(), ...also]);
  return found
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => error('UNKNOWN_NODE', path, `There is no node "${name}".${suggestNode(name, known)}`));
}

/** The names that other engines use for the start and the end. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = { START, END };

function suggestNode(name: string, known: ReadonlySet<string>): string {
  const meant = own(NAMES_ELSEWHERE, name.toUpperCase());
  return meant !== undefined && known.has(meant) ? ` Did you mean "${meant}"?` : didYouMean(name, known);
}

/** Finds a node to which no path leads from the start. */
export const unreachableNodes = defineRule({
  codes: ['UNREACHABLE_NODE'],
  find: (subject) => {
    const reached = reachableNodes(subject);
    if (reached.size === 1) return [];
    return [...subject.nodes.values()]
      .filter(({ id }) => !reached.has(id))
      .map(({ id, path }) => error('UNREACHABLE_NODE', path, `Nothing leads to node "${id}"`));
  },
});

function reachableNodes(subject: ValidationSubject): ReadonlySet<string> {
  const { edges, nodes } = subject;
  const targetLists = new Map<string, (readonly LocatedName[])[]>();
  for (const { sources, targets } of edges) for (const { name } of sources) addToList(targetLists, name, targets);
  for (const node of nodes.values()) addToList(targetLists, node.id, gotoTargetsOf(node));
  addToList(targetLists, START, lastNodesOf(subject));
  const followed = new Set<readonly LocatedName[]>();
  const reached = new Set([START]);
  for (const node of reached) {
    for (const targets of targetLists.get(node) ?? []) {
      if (followed.has(targets)) continue;
      followed.add(targets);
      for (const { name } of targets) reached.add(name);
    }
  }
  return reached;
}

/**
 * Finds a last node of canceled or failed runs that would wait for people, time or an event, including one whose inner
 * nodes would.
 */
export const lastNodes = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) =>
    lastNodesOf(subject).flatMap(({ name, path }) => {
      const node = subject.nodes.get(name);
      const waiting = node && findWaiting(node.fields, name, { catalog: subject.catalog, seen: new Set() });
      if (!waiting) return [];
      const message = `Node "${waiting.name}" is of type ${waiting.type}: it would keep a ${path === '/onCancel' ? 'canceled' : 'failed'} run from ending`;
      return [error('INVALID_FIELD', path, message)];
    }),
});

interface WaitSearch extends Pick<ValidationSubject, 'catalog'> {
  /** Names of the published graphs that have been searched. */
  readonly seen: Set<string>;
}

interface WaitingNode {
  /** Includes the names of the nodes around it, such as `tidy/nap`. */
  readonly name: string;
  readonly type: string;
}

function findWaiting(fields: JsonObject, name: string, search: WaitSearch): WaitingNode | null {
  const { type } = fields;
  if (typeof type === 'string' && describeNode(fields).mayWait) return { name, type };
  for (const [id, inner] of nodesInside(fields, search)) {
    const found = isJsonObject(inner) ? findWaiting(inner, `${name}/${id}`, search) : null;
    if (found) return found;
  }
  return null;
}

function nodesInside(fields: JsonObject, { catalog, seen }: WaitSearch): readonly (readonly [string, Json])[] {
  const inner = innerGraphAt(fields)?.definition ?? null;
  return [inner, ...graphToolsAt(fields).map(({ reference }) => reference)].flatMap((graph) => {
    const definition = typeof graph === 'string' ? publishedGraph(graph, { catalog, seen }) : graph;
    const nodes = isJsonObject(definition) ? definition['nodes'] : undefined;
    return membersIn(nodes);
  });
}

/** Returns a published graph the first time the search reaches it. */
function publishedGraph(name: string, { catalog, seen }: WaitSearch): unknown {
  if (seen.has(name)) return null;
  seen.add(name);
  return own(catalog.graphs ?? {}, name);
}

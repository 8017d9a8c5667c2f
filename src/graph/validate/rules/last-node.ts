import { describeNode } from '../../definition/node-types/describe-node.ts';
import { graphToolsAt } from '../../definition/graph-tools.ts';
import { innerGraphAt } from '../../definition/node-types/describe-node.ts';
import { isJsonObject, membersIn, own } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';
import type { ValidationSubject } from '../subject.ts';
import { lastNodeOf } from './unknown-nodes.ts';

/**
 * Finds a last node of canceled runs that would wait for people, time or an event, including one whose inner nodes
 * would.
 */
export const lastNode = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) =>
    lastNodeOf(subject).flatMap(({ name, path }) => {
      const node = subject.nodes.get(name);
      const waiting = node && findWaiting(node.fields, name, { catalog: subject.catalog, seen: new Set() });
      if (!waiting) return [];
      const message = `Node "${waiting.name}" is of type ${waiting.type}: it would keep a canceled run from ending`;
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

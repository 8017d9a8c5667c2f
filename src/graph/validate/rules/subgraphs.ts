import type { Catalog } from '../../definition/catalog.ts';
import { graphToolsAt } from '../../definition/graph-tools.ts';
import { referencesIn } from '../../definition/references.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonList, isJsonObject, membersIn, own } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/**
 * Finds a graph that does not exist or contains itself (also through its tools), and unknown channels in the input of a
 * child.
 */
export const subgraphRule = defineRule({
  codes: ['UNKNOWN_GRAPH', 'RECURSIVE_SUBGRAPH', 'UNKNOWN_CHANNEL'],
  find: (subject) =>
    [...subject.nodes.values()].flatMap((node) => [...checkSubgraph(subject, node), ...checkTools(subject, node)]),
});

type SubgraphIssues = GraphIssues<'UNKNOWN_GRAPH' | 'RECURSIVE_SUBGRAPH' | 'UNKNOWN_CHANNEL'>;

function checkSubgraph(subject: ValidationSubject, { fields, path, description }: SubjectNode): SubgraphIssues {
  if (!description.graph) return [];
  const { definition: field, input } = description.graph;
  const graph = fields[field] ?? null;
  const issues = checkGraph(subject, graph, `${path}/${field}`);
  if (issues.length > 0) return issues;
  const child = typeof graph === 'string' ? own(subject.catalog.graphs ?? {}, graph) : graph;
  return inputIssues(fields[input], child, `${path}/${input}`);
}

function checkTools(subject: ValidationSubject, { fields, path }: SubjectNode): SubgraphIssues {
  return graphToolsAt(fields).flatMap(({ reference, index }) =>
    checkGraph(subject, reference, `${path}/tools/${index}/graph`),
  );
}

/** @param graph the name of a published graph, or a definition */
function checkGraph({ catalog, definition }: ValidationSubject, graph: Json, path: string): SubgraphIssues {
  const graphs = catalog.graphs ?? {};
  const name = typeof definition['name'] === 'string' ? definition['name'] : '';
  const references = typeof graph === 'string' ? [graph] : referencesIn(graph);
  if (references.some((reference) => containsGraph(name, reference, graphs)))
    return [error('RECURSIVE_SUBGRAPH', path, `Graph "${name}" would contain itself`)];
  if (typeof graph !== 'string' || Object.hasOwn(graphs, graph)) return [];
  return [error('UNKNOWN_GRAPH', path, `There is no graph "${graph}".${didYouMean(graph, Object.keys(graphs))}`)];
}

function containsGraph(name: string, reference: string, graphs: NonNullable<Catalog['graphs']>): boolean {
  const seen = new Set([reference]);
  for (const each of seen) {
    if (each.split('@')[0] === name) return true;
    const definition: unknown = own(graphs, each);
    if (isJsonObject(definition)) for (const next of referencesIn(definition)) seen.add(next);
  }
  return false;
}

function inputIssues(input: Json | undefined, child: unknown, path: string): GraphIssues<'UNKNOWN_CHANNEL'> {
  if (!isJsonObject(input) || !isJsonObject(child)) return [];
  const open = new Set(inputChannels(child));
  return Object.keys(input)
    .filter((name) => !open.has(name))
    .map((name) =>
      error(
        'UNKNOWN_CHANNEL',
        path + toPointer([name]),
        `"${name}" is no input channel of the graph inside.${didYouMean(name, open)}`,
      ),
    );
}

function inputChannels({ input, channels }: JsonObject): readonly string[] {
  if (isJsonList(input)) return input.filter((name) => typeof name === 'string');
  return membersIn(channels).map(([name]) => name);
}

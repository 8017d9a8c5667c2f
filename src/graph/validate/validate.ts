import type { Catalog } from '../catalog.ts';
import type { GraphIssue } from '../issue.ts';
import { isJsonObject, jsonSize } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { unknownFunctions, unknownModels, unknownProcessors, unknownTools, unknownApprovals } from './catalog-names.ts';
import { concurrentWrites } from './concurrent-writes.ts';
import { deadEndBranches } from './dead-end-branches.ts';
import { defaults } from './defaults.ts';
import { duplicateEdges } from './duplicate-edges.ts';
import { entryPoint } from './entry-point.ts';
import { expressions } from './expressions.ts';
import { lastNode } from './last-node.ts';
import { names } from './names.ts';
import { error } from './rule.ts';
import type { Rule } from './rule.ts';
import { schemas } from './schemas.ts';
import { shape } from './shape.ts';
import { starvingJoins } from './starving-joins.ts';
import { readSubject } from './subject.ts';
import type { Subject } from './subject.ts';
import { subgraphs } from './subgraphs.ts';
import { talkChannels } from './talk-channels.ts';
import { templates } from './templates.ts';
import { unboundedLoops } from './unbounded-loops.ts';
import { uncheckedApprovals } from './unchecked-approvals.ts';
import { unknownChannels } from './unknown-channels.ts';
import { unknownNodes } from './unknown-nodes.ts';
import { unreachableNodes } from './unreachable-nodes.ts';
import { unusedChannels } from './unused-channels.ts';

const RULES: readonly Rule[] = [
  shape,
  names,
  entryPoint,
  unknownNodes,
  lastNode,
  unreachableNodes,
  duplicateEdges,
  unknownChannels,
  talkChannels,
  expressions,
  templates,
  schemas,
  defaults,
  unknownTools,
  unknownApprovals,
  unknownFunctions,
  unknownModels,
  unknownProcessors,
  deadEndBranches,
  starvingJoins,
  concurrentWrites,
  unboundedLoops,
  uncheckedApprovals,
  unusedChannels,
  subgraphs,
  inlineGraphs,
];

const MAX_DEFINITION_BYTES = 1_048_576;
const MAX_NODES = 2_000;

/**
 * Gives every issue of a definition at once, whatever it is; no error among them: it can be compiled and run.
 * @param definition any JSON value
 */
export function validateGraph(definition: Json, catalog: Catalog): readonly GraphIssue[] {
  if (!isJsonObject(definition)) return [error('INVALID_FIELD', '', 'A graph definition is an object')];
  const tooLarge = sizeIssue(definition);
  if (tooLarge) return [tooLarge];
  const subject = readSubject(definition, catalog);
  return RULES.flatMap((rule) => rule(subject));
}

/** The issues of the graphs that stand inside the definition. */
function inlineGraphs({ nodes, catalog }: Subject): readonly GraphIssue[] {
  return [...nodes.values()].flatMap(({ type, fields, path }) => {
    const { graph } = fields;
    if (type !== 'subgraph' || !isJsonObject(graph)) return [];
    return validateGraph(graph, catalog).map((issue) => ({ ...issue, path: `${path}/graph${issue.path}` }));
  });
}

function sizeIssue(definition: JsonObject): GraphIssue | null {
  const bytes = jsonSize(definition);
  if (bytes > MAX_DEFINITION_BYTES)
    return error(
      'GRAPH_TOO_LARGE',
      '',
      `The definition takes about ${bytes} bytes; ${MAX_DEFINITION_BYTES} are allowed`,
    );
  const nodes = isJsonObject(definition['nodes']) ? Object.keys(definition['nodes']).length : 0;
  return nodes > MAX_NODES
    ? error('GRAPH_TOO_LARGE', '/nodes', `The graph has ${nodes} nodes; ${MAX_NODES} are allowed`)
    : null;
}

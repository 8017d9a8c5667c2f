import type { Catalog } from '../definition/catalog.ts';
import { innerGraphAt } from '../definition/node-types/describe-node.ts';
import { boundIssues } from '../values/bound-issues.ts';
import { withSuggestions } from '../values/did-you-mean.ts';
import { jsonSize } from '../values/json-size.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { TooExpensiveError, withAllowance } from '../values/meter.ts';
import { error } from './rule.ts';
import type { GraphIssues } from './rule.ts';
import { readSubject } from './subject.ts';
import type { ValidationSubject } from './subject.ts';
import {
  unknownFunctions,
  unknownModels,
  unknownProcessors,
  unknownTools,
  unknownApprovals,
} from './rules/catalog-names.ts';
import {
  concurrentWrites,
  conversationChannels,
  requiredInputs,
  unknownChannels,
  unusedChannels,
} from './rules/channels.ts';
import {
  deadEndBranches,
  duplicateEdges,
  entryPoint,
  forEachTargets,
  starvingJoins,
  uncheckedApprovals,
} from './rules/edges.ts';
import { defaultRule, schemaRule } from './rules/schemas.ts';
import { expressionRule } from './rules/expressions.ts';
import { lastNodes, unknownNodes, unreachableNodes } from './rules/nodes.ts';
import { fixedArguments } from './rules/fixed-arguments.ts';
import { givenArguments, offeredTools, unnamedTools } from './rules/tools.ts';
import { localCalls } from './rules/local-calls.ts';
import { invalidNameRule } from './rules/names.ts';
import { overCeilings } from './rules/over-ceilings.ts';
import { fieldShapeRule } from './rules/shape.ts';
import { subgraphRule } from './rules/subgraphs.ts';
import { mistakenTexts, templateRule } from './rules/templates.ts';
import { unboundedLoops } from './rules/unbounded-loops.ts';

const MAX_DEFINITION_BYTES = 1_048_576;
const MAX_NODES = 2_000;

/**
 * Limit of one validation in units of the meter: parsing expressions, compiling patterns, checking defaults by schemas.
 */
const MAX_VALIDATION_UNITS = 10_000_000;

/** The codes of all issues: those of the rules, and those about a whole definition. */
export type IssueCode = RuleCode | 'GRAPH_TOO_LARGE' | 'TOO_EXPENSIVE';

/** The codes of issues about names that only an installation knows. */
export const CATALOG_CODES: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'UNKNOWN_TOOL',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_MODEL',
  'UNKNOWN_GRAPH',
  'UNKNOWN_NODE_TYPE',
]);

/**
 * Returns all issues of a definition. It can be compiled and run if none of them is an error.
 * @param definition any JSON value
 */
export function validateGraph(definition: Json, catalog: Catalog): GraphIssues<IssueCode> {
  if (!isJsonObject(definition)) return [error('INVALID_FIELD', '', 'A graph definition is an object')];
  const tooLarge = sizeIssue(definition);
  if (tooLarge) return [tooLarge];
  try {
    return boundIssues(
      withSuggestions(() =>
        withAllowance('The definition', MAX_VALIDATION_UNITS, () => applyRules(definition, catalog)),
      ),
    );
  } catch (thrown) {
    if (thrown instanceof TooExpensiveError) return [error('TOO_EXPENSIVE', '', thrown.message)];
    throw thrown;
  }
}

function applyRules(definition: JsonObject, catalog: Catalog): GraphIssues<IssueCode> {
  const subject = readSubject(definition, catalog);
  return [...VALIDATION_RULES.flatMap(({ find }): GraphIssues<RuleCode> => find(subject)), ...inlineGraphs(subject)];
}

/** Returns the issues of inline graphs. */
function inlineGraphs({ nodes, catalog }: ValidationSubject): GraphIssues<IssueCode> {
  return [...nodes.values()].flatMap(({ fields, path }) => {
    const inner = innerGraphAt(fields);
    if (!inner || !isJsonObject(inner.definition)) return [];
    return validateGraph(inner.definition, catalog).map((issue) => ({
      ...issue,
      path: `${path}/${inner.field}${issue.path}`,
    }));
  });
}

function sizeIssue(definition: JsonObject): GraphIssues<IssueCode>[number] | null {
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

/** The rules, in the order in which their issues are listed. */
export const VALIDATION_RULES = [
  fieldShapeRule,
  invalidNameRule,
  entryPoint,
  unknownNodes,
  lastNodes,
  unreachableNodes,
  duplicateEdges,
  forEachTargets,
  unknownChannels,
  requiredInputs,
  conversationChannels,
  expressionRule,
  templateRule,
  schemaRule,
  defaultRule,
  overCeilings,
  unknownTools,
  unnamedTools,
  offeredTools,
  givenArguments,
  fixedArguments,
  localCalls,
  unknownApprovals,
  unknownFunctions,
  unknownModels,
  unknownProcessors,
  deadEndBranches,
  starvingJoins,
  concurrentWrites,
  unboundedLoops,
  uncheckedApprovals,
  mistakenTexts,
  unusedChannels,
  subgraphRule,
] as const;

export type RuleCode = (typeof VALIDATION_RULES)[number]['codes'][number];

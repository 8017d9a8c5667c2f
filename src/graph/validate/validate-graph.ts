import type { Catalog } from '../definition/catalog.ts';
import { innerGraphAt } from '../definition/inner-graph.ts';
import { boundIssues } from '../values/bounded-issues.ts';
import { withSuggestions } from '../values/did-you-mean.ts';
import { jsonSize } from '../values/json-size.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { TooExpensiveError, withAllowance } from '../values/meter.ts';
import { error } from './rule.ts';
import { RULES } from './all-rules.ts';
import type { RuleCode } from './all-rules.ts';
import type { Issues } from './rule.ts';
import { readSubject } from './subject.ts';
import type { Subject } from './subject.ts';

const MAX_DEFINITION_BYTES = 1_048_576;
const MAX_NODES = 2_000;

/** What looking at a definition may cost: parsing expressions, compiling patterns, checking defaults by schemas. */
const MAX_UNITS = 10_000_000;

/** The codes of all issues: those of the rules, and of a definition as a whole. */
export type IssueCode = RuleCode | 'GRAPH_TOO_LARGE' | 'TOO_EXPENSIVE';

/**
 * Returns all issues of a definition. It can be compiled and run if none of them is an error.
 * @param definition any JSON value
 */
export function validateGraph(definition: Json, catalog: Catalog): Issues<IssueCode> {
  if (!isJsonObject(definition)) return [error('INVALID_FIELD', '', 'A graph definition is an object')];
  const tooLarge = sizeIssue(definition);
  if (tooLarge) return [tooLarge];
  try {
    return boundIssues(
      withSuggestions(() => withAllowance('The definition', MAX_UNITS, () => findIssues(definition, catalog))),
    );
  } catch (thrown) {
    if (thrown instanceof TooExpensiveError) return [error('TOO_EXPENSIVE', '', thrown.message)];
    throw thrown;
  }
}

function findIssues(definition: JsonObject, catalog: Catalog): Issues<IssueCode> {
  const subject = readSubject(definition, catalog);
  return [...RULES.flatMap(({ find }): Issues<RuleCode> => find(subject)), ...inlineGraphs(subject)];
}

/** Returns the issues of inline graphs. */
function inlineGraphs({ nodes, catalog }: Subject): Issues<IssueCode> {
  return [...nodes.values()].flatMap(({ fields, path }) => {
    const inner = innerGraphAt(fields);
    if (!inner || !isJsonObject(inner.definition)) return [];
    return validateGraph(inner.definition, catalog).map((issue) => ({
      ...issue,
      path: `${path}/${inner.field}${issue.path}`,
    }));
  });
}

function sizeIssue(definition: JsonObject): Issues<IssueCode>[number] | null {
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

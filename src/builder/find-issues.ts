import { DEFAULTS, NO_CEILINGS } from '../graph/definition/index.ts';
import type { Catalog, GraphDefinition, GraphIssue } from '../graph/definition/index.ts';
import { toJson } from '../graph/values/index.ts';
import { CATALOG_CODES, validateGraph } from '../graph/validate/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';
import type { CompileOptions } from './graph-settings.ts';

/** A node type of which nothing is known but its name. */
const ANY_NODE = { schema: {}, effect: 'idempotent' } as const;

const EMPTY_CATALOG: Catalog = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS };

/**
 * Finds all issues of a definition. Without a catalog, a node type that resembles a built-in one is taken for a mistake,
 * unless it is named.
 */
export function findIssues(
  definition: GraphDefinition,
  { catalog, nodeTypes = [] }: CompileOptions,
): readonly GraphIssue<IssueCode>[] {
  if (catalog) return validateGraph(toJson(definition), catalog);
  const own = Object.fromEntries(nodeTypes.map((type) => [type, ANY_NODE]));
  const issues = validateGraph(toJson(definition), { ...EMPTY_CATALOG, nodeTypes: own });
  return issues.flatMap(withoutCatalog);
}

function withoutCatalog(issue: GraphIssue<IssueCode>): readonly GraphIssue<IssueCode>[] {
  if (issue.code === 'UNKNOWN_NODE_TYPE' && SUGGESTS.test(issue.message))
    return [{ ...issue, message: `${issue.message} Name a type of your own in \`nodeTypes\`.` }];
  return CATALOG_CODES.has(issue.code) ? [] : [issue];
}

const SUGGESTS = / Did you mean "[^"]*"\?$/;

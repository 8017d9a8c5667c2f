import { DEFAULTS, NO_CEILINGS } from '../graph/definition/index.ts';
import type { Catalog, GraphDefinition, GraphIssue } from '../graph/definition/index.ts';
import { toJson } from '../graph/values/index.ts';
import { CATALOG_CODES, validateGraph } from '../graph/validate/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';

const EMPTY_CATALOG: Catalog = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS };

/**
 * Finds all issues of a definition. Without a catalog, names that only an installation knows are not checked; a node type
 * that resembles a built-in one is a warning.
 */
export function findIssues(
  definition: GraphDefinition,
  catalog: Catalog | undefined,
): readonly GraphIssue<IssueCode>[] {
  const issues = validateGraph(toJson(definition), catalog ?? EMPTY_CATALOG);
  return catalog ? issues : issues.flatMap(withoutCatalog);
}

function withoutCatalog(issue: GraphIssue<IssueCode>): readonly GraphIssue<IssueCode>[] {
  if (issue.code === 'UNKNOWN_NODE_TYPE' && SUGGESTS.test(issue.message)) return [{ ...issue, severity: 'warning' }];
  return CATALOG_CODES.has(issue.code) ? [] : [issue];
}

const SUGGESTS = / Did you mean "[^"]*"\?$/;

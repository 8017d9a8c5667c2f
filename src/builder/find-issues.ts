import { DEFAULTS, NO_CEILINGS } from '../graph/definition/index.ts';
import type { Catalog, GraphDefinition, GraphIssue } from '../graph/definition/index.ts';
import { toJson } from '../graph/values/index.ts';
import { CATALOG_CODES, validateGraph } from '../graph/validate/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';

const EMPTY_CATALOG: Catalog = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS };

/** Finds all issues of a definition. Without a catalog, names that only an installation knows are not checked. */
export function findIssues(
  definition: GraphDefinition,
  catalog: Catalog | undefined,
): readonly GraphIssue<IssueCode>[] {
  const issues = validateGraph(toJson(definition), catalog ?? EMPTY_CATALOG);
  return catalog ? issues : issues.filter(({ code }) => !CATALOG_CODES.has(code));
}

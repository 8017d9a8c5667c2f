import { DEFAULTS, NO_CEILINGS } from '../graph/definition/index.ts';
import type { Catalog, GraphDefinition, GraphIssue } from '../graph/definition/index.ts';
import { toJson } from '../graph/values/index.ts';
import { validateGraph } from '../graph/validate/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';

/** Issues about names that only an installation knows. */
const CATALOG_CODES: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'UNKNOWN_TOOL',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_MODEL',
  'UNKNOWN_GRAPH',
  'UNKNOWN_NODE_TYPE',
]);

const EMPTY_CATALOG: Catalog = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS };

/** Finds all issues of a definition. Without a catalog, names that only an installation knows are not checked. */
export function findIssues(
  definition: GraphDefinition,
  catalog: Catalog | undefined,
): readonly GraphIssue<IssueCode>[] {
  const issues = validateGraph(toJson(definition), catalog ?? EMPTY_CATALOG);
  return catalog ? issues : issues.filter(({ code }) => !CATALOG_CODES.has(code));
}

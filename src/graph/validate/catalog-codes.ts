import type { IssueCode } from './validate-graph.ts';

/** The codes of issues about names that only an installation knows. */
export const CATALOG_CODES: ReadonlySet<IssueCode> = new Set<IssueCode>([
  'UNKNOWN_TOOL',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_MODEL',
  'UNKNOWN_GRAPH',
  'UNKNOWN_NODE_TYPE',
]);

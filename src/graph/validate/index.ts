export { CATALOG_CODES, validateGraph } from './validate-graph.ts';
export type { IssueCode } from './validate-graph.ts';

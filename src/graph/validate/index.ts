export { CATALOG_CODES } from './catalog-codes.ts';
export { validateGraph } from './validate-graph.ts';
export type { IssueCode } from './validate-graph.ts';

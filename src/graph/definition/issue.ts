/** An error or warning about a definition (specification, "Compile-time issues"). */
export interface GraphIssue {
  readonly code: ErrorIssueCode | WarningIssueCode;
  readonly severity: 'error' | 'warning';
  /** JSON Pointer to the invalid value, or to the object in which a value is missing. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export type ErrorIssueCode =
  | 'UNKNOWN_NODE'
  | 'UNKNOWN_CHANNEL'
  | 'UNKNOWN_NODE_TYPE'
  | 'UNKNOWN_TOOL'
  | 'UNKNOWN_FUNCTION'
  | 'UNKNOWN_MODEL'
  | 'MISSING_ENTRY_POINT'
  | 'UNREACHABLE_NODE'
  | 'DUPLICATE_EDGE'
  | 'RESERVED_NAME'
  | 'INVALID_NAME'
  | 'INVALID_EXPRESSION'
  | 'INVALID_TEMPLATE'
  | 'INVALID_SCHEMA'
  | 'INVALID_DURATION'
  | 'INVALID_DEFAULT'
  | 'INVALID_FIELD'
  | 'UNKNOWN_GRAPH'
  | 'RECURSIVE_SUBGRAPH'
  | 'GRAPH_TOO_LARGE'
  | 'TOO_EXPENSIVE';

export type WarningIssueCode =
  | 'DEAD_END_BRANCH'
  | 'JOIN_MAY_STARVE'
  | 'IMPLICIT_CONCURRENT_WRITE'
  | 'UNBOUNDED_LOOP'
  | 'APPROVAL_UNCHECKED'
  | 'LOOKS_LIKE_EXPRESSION'
  | 'UNUSED_CHANNEL';

export function hasErrors(issues: readonly GraphIssue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/**
 * An error or warning about a definition (specification, "Compile-time issues"). The rules of `graph/validate` name the
 * codes.
 */
export interface GraphIssue<Code extends string = string> {
  readonly code: Code;
  readonly severity: 'error' | 'warning';
  /** JSON Pointer to the invalid value, or to the object in which a value is missing. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export function hasErrors(issues: readonly GraphIssue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

import type { GraphIssue } from '../graph/definition/index.ts';
import type { IssueCode } from '../graph/validate/index.ts';
import { formatCount } from '../graph/values/index.ts';

/** A graph that can't be compiled, with all its issues, warnings included. Recognize it by `code`. */
export class InvalidGraphError extends Error {
  readonly code = 'INVALID_GRAPH';
  readonly issues: readonly GraphIssue<IssueCode>[];

  constructor(name: string, issues: readonly GraphIssue<IssueCode>[]) {
    const errors = issues.filter(({ severity }) => severity === 'error').length;
    const headline = `Graph "${name}" has ${formatCount(errors, 'error')}:`;
    super([headline, ...issues.map(formatIssue)].join('\n'));
    this.name = 'InvalidGraphError';
    this.issues = issues;
  }
}

function formatIssue({ code, severity, path, message }: GraphIssue): string {
  return `- ${severity === 'warning' ? 'warning ' : ''}${code} at ${path || 'the top'}: ${message}`;
}

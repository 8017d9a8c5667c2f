import type { ErrorIssueCode, GraphIssue, WarningIssueCode } from '../definition/issue.ts';
import type { Subject } from './subject.ts';

/** Returns all issues of one kind in a definition. */
export type Rule = (subject: Subject) => readonly GraphIssue[];

export function error(code: ErrorIssueCode, path: string, message: string): GraphIssue {
  return { code, severity: 'error', path, message };
}

export function warning(
  code: WarningIssueCode,
  path: string,
  { message, hint }: { message: string; hint: string },
): GraphIssue {
  return { code, severity: 'warning', path, message, hint };
}

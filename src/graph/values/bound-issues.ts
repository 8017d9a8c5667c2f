import { abbreviate } from './text.ts';
import { MAX_MESSAGE } from './errors.ts';

/** A fault of outside data. `path` is a JSON Pointer into it. */
interface OutsideIssue {
  readonly path: string;
  readonly message: string;
  readonly severity?: string;
}

const MAX_LISTED_ISSUES = 1_000;

/**
 * Limits issues to a readable amount. Errors come before warnings if not all are listed. Messages are cut, and a path
 * that is too long ends at an outer value.
 * @param most the maximum number of issues; the last one reports the number of the others
 */
export function boundIssues<One extends OutsideIssue>(
  issues: readonly One[],
  most = MAX_LISTED_ISSUES,
): readonly One[] {
  const listed = issues.length > most ? listFirst(issues, most) : issues;
  return listed.map((issue) => ({
    ...issue,
    path: shortenPointer(issue.path),
    message: abbreviate(issue.message, MAX_MESSAGE),
  }));
}

function listFirst<One extends OutsideIssue>(issues: readonly One[], most: number): readonly One[] {
  const errorsFirst = [
    ...issues.filter(({ severity }) => severity !== 'warning'),
    ...issues.filter(({ severity }) => severity === 'warning'),
  ];
  const listed = errorsFirst.slice(0, most - 1);
  const [next] = errorsFirst.slice(listed.length);
  const count = issues.length - listed.length;
  return next ? [...listed, { ...next, path: '', message: `${count} more issues are not listed` }] : listed;
}

function shortenPointer(path: string): string {
  if (path.length <= MAX_MESSAGE) return path;
  const end = path.lastIndexOf('/', MAX_MESSAGE);
  return path.slice(0, Math.max(0, end));
}

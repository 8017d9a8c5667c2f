import { MAX_MESSAGE } from './errors.ts';
import { abbreviate } from './text.ts';

/** A fault of something that came from outside. `path` is a JSON Pointer into it. */
interface Issue {
  readonly path: string;
  readonly message: string;
  readonly severity?: string;
}

const MAX_ISSUES = 1_000;

/**
 * Bounds issues, so that what is said of a value is no larger than people read. Errors come before warnings if not all
 * are listed. Messages are cut, and a path that is too long ends at an outer value.
 * @param most how many are listed, the last of which says how many there are besides
 */
export function boundIssues<Found extends Issue>(issues: readonly Found[], most = MAX_ISSUES): readonly Found[] {
  const listed = issues.length > most ? listFirst(issues, most) : issues;
  return listed.map((issue) => ({
    ...issue,
    path: shortenPointer(issue.path),
    message: abbreviate(issue.message, MAX_MESSAGE),
  }));
}

function listFirst<Found extends Issue>(issues: readonly Found[], most: number): readonly Found[] {
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

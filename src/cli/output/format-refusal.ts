import type { HoldfastError } from '../../client/index.ts';
import type { DefinitionFile, LocatedIssue } from '../input/read-definition.ts';

/** Formats the issues of a refused request; issues of the definition get their location in the file. */
export function formatRefusal(error: HoldfastError, { file, locate }: DefinitionFile): string {
  const { code, issues } = error;
  if (code !== 'INVALID_GRAPH' && code !== 'GRAPH_TOO_LARGE') return formatBodyIssues(error);
  return formatIssues(
    file,
    issues.map((issue) => locate({ ...issue, code: issue.code ?? '', severity: issue.severity ?? 'error' })),
  );
}

/** Formats the issues of a refused request with their paths in its body. */
export function formatBodyIssues({ issues }: HoldfastError): string {
  return issues.map(({ path, message }) => `${path}: ${message}\n`).join('');
}

/** Formats issues for people, and for editors that recognize `file:line:column`. */
export function formatIssues(file: string, issues: readonly LocatedIssue[]): string {
  return issues
    .map(({ line, column, severity, code, message, path, hint }) => {
      const head = `${file}:${line}:${column}: ${severity} ${code}: ${message}`;
      return [
        head,
        ...(path === '' ? [] : [`    at ${path}`]),
        ...(hint === undefined ? [] : [`    ${hint}`]),
        '',
      ].join('\n');
    })
    .join('');
}

/** What Node says if nothing listens at a port of this machine. */
const LOCAL_REFUSAL = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])\b.*ECONNREFUSED/s;

/** Describes a failed request in one line. A stack on this machine that does not run has the command that starts it. */
export function describeRefusal({ status, code, detail, mayTakeEffect }: HoldfastError): string {
  const start = LOCAL_REFUSAL.test(detail) ? '; start it: npx holdfast dev' : '';
  const what = status === null ? `${detail}${start}` : `The API answered ${status} ${code}: ${detail}`;
  return mayTakeEffect ? `${what} (it may take effect all the same: look before you send it again)` : what;
}

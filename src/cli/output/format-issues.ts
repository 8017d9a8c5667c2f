import type { LocatedIssue } from '../input/read-definition.ts';

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

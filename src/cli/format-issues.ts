import type { PlacedIssue } from './read-definition.ts';

/** The issues of a file for people, and for editors that look for `file:line:column`. */
export function formatIssues(file: string, issues: readonly PlacedIssue[]): string {
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

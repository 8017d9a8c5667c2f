import type { HoldfastError } from '../../client/index.ts';
import { formatIssues } from './format-issues.ts';
import type { DefinitionFile } from '../input/read-definition.ts';

/** Formats the issues of a refusal; those of the definition get their place in the file. */
export function formatRefusal({ code, issues }: HoldfastError, { file, locate }: DefinitionFile): string {
  if (code !== 'INVALID_GRAPH' && code !== 'GRAPH_TOO_LARGE')
    return issues.map(({ path, message }) => `${path}: ${message}\n`).join('');
  return formatIssues(
    file,
    issues.map((issue) => locate({ ...issue, code: issue.code ?? '', severity: issue.severity ?? 'error' })),
  );
}

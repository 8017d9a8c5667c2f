import type { GraphIssue } from '../../graph/definition/index.ts';
import { CATALOG_CODES, validateGraph } from '../../graph/validate/index.ts';
import type { IssueCode } from '../../graph/validate/index.ts';
import type { KnownNames } from '../input/read-catalog.ts';
import type { DefinitionFile, LocatedIssue } from '../input/read-definition.ts';

/**
 * Finds the issues of a file, ordered by line. Without a configuration, names that only an installation knows are not
 * checked.
 */
export function checkDefinition(
  { content, locate }: DefinitionFile,
  { catalog, origin }: KnownNames,
): readonly LocatedIssue[] {
  if ('fault' in content) return [content.fault];
  const issues = validateGraph(content.definition, catalog).filter(({ code }) => code !== 'UNKNOWN_GRAPH');
  const known = origin === null ? issues.flatMap(withoutCatalogIssues) : issues;
  return known.map(locate).sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Drops issues about names that only an installation knows; an unknown node type becomes a warning. */
function withoutCatalogIssues(issue: GraphIssue<IssueCode>): readonly GraphIssue<IssueCode>[] {
  if (issue.code === 'UNKNOWN_NODE_TYPE')
    return [{ ...issue, severity: 'warning', hint: 'It is an error unless code registers this type.' }];
  return CATALOG_CODES.has(issue.code) ? [] : [issue];
}

/** True without errors; warnings are allowed. */
export function hasNoErrors(issues: readonly LocatedIssue[]): boolean {
  return issues.every(({ severity }) => severity !== 'error');
}

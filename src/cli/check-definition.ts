import type { GraphIssue } from '../graph/definition/index.ts';
import { validateGraph } from '../graph/validate/index.ts';
import type { KnownNames } from './read-catalog.ts';
import type { DefinitionFile, PlacedIssue } from './read-definition.ts';

/** Finds the issues of a file, in the order of its lines, as far as they can be told without the installation that the graph is for. */
export function checkDefinition(
  { content, place }: DefinitionFile,
  { catalog, origin }: KnownNames,
): readonly PlacedIssue[] {
  if ('fault' in content) return [content.fault];
  const issues = validateGraph(content.definition, catalog).filter(({ code }) => code !== 'UNKNOWN_GRAPH');
  const known = origin === null ? issues.flatMap(withoutNames) : issues;
  return known.map(place).sort((a, b) => a.line - b.line || a.column - b.column);
}

const NAMES: ReadonlySet<string> = new Set(['UNKNOWN_TOOL', 'UNKNOWN_FUNCTION', 'UNKNOWN_MODEL']);

/** Without a configuration nothing is known of tools, functions and models, nor of the node types that code registers. */
function withoutNames(issue: GraphIssue): readonly GraphIssue[] {
  if (NAMES.has(issue.code)) return [];
  if (issue.code !== 'UNKNOWN_NODE_TYPE') return [issue];
  return [{ ...issue, severity: 'warning', hint: 'It is an error unless code registers this type.' }];
}

/** Warnings do no harm. */
export function isValid(issues: readonly PlacedIssue[]): boolean {
  return issues.every(({ severity }) => severity !== 'error');
}

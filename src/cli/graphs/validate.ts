import { EXIT, UsageError } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { CONFIG_FLAG, NO_CONFIG_FLAG, wantsConfig } from '../input/config-flags.ts';
import { defineCommand } from '../line/define-command.ts';
import { option, textOr } from '../line/flags.ts';
import { formatIssues } from '../output/format-refusal.ts';
import { someOperands, oneOperand } from '../line/operands.ts';
import { NOTHING_KNOWN, readCatalog } from '../input/read-catalog.ts';
import type { KnownNames } from '../input/read-catalog.ts';
import { readDefinition } from '../input/read-definition.ts';
import type { DefinitionFile, LocatedIssue } from '../input/read-definition.ts';
import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition, GraphIssue } from '../../graph/definition/index.ts';
import { DIAGRAM_WRITERS } from '../../graph/diagram/index.ts';
import { CATALOG_CODES, validateGraph } from '../../graph/validate/index.ts';
import type { IssueCode } from '../../graph/validate/index.ts';
import { own } from '../../graph/values/index.ts';

interface FileResult {
  readonly file: string;
  readonly valid: boolean;
  readonly issues: readonly LocatedIssue[];
}

export const validate = defineCommand({
  name: 'validate',
  summary: 'find every issue of graph definitions',
  operands: someOperands('FILE', 'at least one file'),
  about: `Finds every issue of graph definitions (.json, or .ts that exports a graph). The names of tools, functions and
    models are checked against a configuration, if there is one; the names of published graphs are not checked.`,
  flags: {
    config: CONFIG_FLAG,
    'no-config': NO_CONFIG_FLAG,
    json: option('prints one JSON document: { configuration, files: [{ file, valid, issues }] }'),
  },
  exits: { 0: 'no errors, perhaps warnings', 1: 'errors', 2: "wrong usage, or a file that can't be read" },
  async action({ values, given }, terminal) {
    const known = wantsConfig(values) ? await readCatalog(values.config, terminal) : NOTHING_KNOWN;
    const files = await Promise.all(given.map(readDefinition));
    const results = files.map((each): FileResult => {
      const issues = checkDefinition(each, known);
      return { file: each.file, valid: isValid(issues), issues };
    });
    if (values.json)
      terminal.stdout.write(`${JSON.stringify({ configuration: known.origin, files: results }, null, 2)}\n`);
    else report(results, known.origin, terminal);
    return results.every(({ valid }) => valid) ? EXIT.done : EXIT.failed;
  },
});

/**
 * Finds the issues of a file, ordered by line. Without a configuration, names that only an installation knows are not
 * checked.
 */
function checkDefinition(
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
function isValid(issues: readonly LocatedIssue[]): boolean {
  return issues.every(({ severity }) => severity !== 'error');
}

function report(results: readonly FileResult[], origin: string | null, { stdout, stderr }: Terminal): void {
  for (const { file, issues } of results) stdout.write(formatIssues(file, issues));
  const issues = results.flatMap((result) => result.issues);
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  stdout.write(
    `${count(results.length, 'file')}: ${count(errors, 'error')}, ${count(issues.length - errors, 'warning')}\n`,
  );
  stderr.write(
    origin === null
      ? 'There is no configuration: names of tools, functions, models and node types were not checked.\n'
      : `Checked against ${origin}.\n`,
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

export const diagram = defineCommand({
  name: 'diagram',
  summary: 'print a graph as a Mermaid or PlantUML drawing',
  operands: oneOperand('FILE', 'one file'),
  about:
    'Prints a graph (.json, or .ts that exports one) as a drawing: a Mermaid flowchart, or a PlantUML state diagram.',
  flags: { format: textOr('mermaid', 'FORMAT', 'mermaid or plantuml') },
  exits: { 0: 'drawn', 1: 'the definition has errors', 2: "wrong usage, or a file that can't be read" },
  async action({ values, given: file }, { stdout, stderr }) {
    const write = own<(definition: GraphDefinition) => string>(DIAGRAM_WRITERS, values.format);
    if (!write)
      throw new UsageError(`--format takes ${Object.keys(DIAGRAM_WRITERS).join(' or ')}, not "${values.format}"`);
    const read = await readDefinition(file);
    const issues = checkDefinition(read, NOTHING_KNOWN);
    if (!isValid(issues) || !('definition' in read.content) || !isDefinition(read.content.definition)) {
      stderr.write(formatIssues(file, issues));
      return EXIT.failed;
    }
    stdout.write(write(read.content.definition));
    return EXIT.done;
  },
});

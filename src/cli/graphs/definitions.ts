import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { CONFIG_FLAG, NO_CONFIG_FLAG, wantsConfig, NOTHING_KNOWN, readCatalog } from '../input/read-catalog.ts';
import type { KnownNames } from '../input/read-catalog.ts';
import { readDefinition } from '../input/read-definition.ts';
import { readChoiceFlag } from '../input/read-flags.ts';
import type { LocatedIssue, DefinitionFile } from '../input/read-definition.ts';
import { EXIT, defineCommand, switchFlag, textFlagOr, someOperands, oneOperand } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { formatIssues, describeRefusal, formatRefusal } from '../output/format-refusal.ts';
import { HoldfastError } from '../../client/index.ts';
import type { Client, Publication } from '../../client/index.ts';
import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphIssue } from '../../graph/definition/index.ts';
import { DIAGRAM_WRITERS } from '../../graph/diagram/index.ts';
import { CATALOG_CODES, validateGraph } from '../../graph/validate/index.ts';
import type { IssueCode } from '../../graph/validate/index.ts';
import { formatCount, isJsonObject } from '../../graph/values/index.ts';

interface FileResult {
  readonly file: string;
  readonly valid: boolean;
  readonly issues: readonly LocatedIssue[];
}

export const validateCommand = defineCommand({
  name: 'validate',
  summary: 'find every issue of graph definitions',
  operands: someOperands('FILE', 'at least one file'),
  about: `Finds every issue of graph definitions (.json, or .ts that exports a graph). The names of tools, functions and
    models are checked against a configuration, if there is one; the names of published graphs are not checked.`,
  flags: {
    config: CONFIG_FLAG,
    'no-config': NO_CONFIG_FLAG,
    json: switchFlag('prints one JSON document: { configuration, files: [{ file, valid, issues }] }'),
  },
  exits: { 0: 'no errors, perhaps warnings', 1: 'errors', 2: "wrong usage, or a file that can't be read" },
  readsEnvFile: true,
  async action({ values, given }, terminal) {
    const known = wantsConfig(values) ? await readCatalog(values.config, terminal) : NOTHING_KNOWN;
    const files = await Promise.all(given.map(readDefinition));
    const results = files.map((each): FileResult => {
      const issues = checkDefinition(each, known);
      return { file: each.file, valid: hasNoErrors(issues), issues };
    });
    if (values.json)
      terminal.stdout.write(`${JSON.stringify({ configuration: known.origin, files: results }, null, 2)}\n`);
    else printResults(results, known.origin, terminal);
    return results.every(({ valid }) => valid) ? EXIT.done : EXIT.failed;
  },
});

function printResults(results: readonly FileResult[], origin: string | null, { stdout, stderr }: Terminal): void {
  for (const { file, issues } of results) stdout.write(formatIssues(file, issues));
  const issues = results.flatMap((result) => result.issues);
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  stdout.write(
    `${formatCount(results.length, 'file')}: ${formatCount(errors, 'error')}, ${formatCount(issues.length - errors, 'warning')}\n`,
  );
  stderr.write(
    origin === null
      ? 'There is no configuration: names of tools, functions, models and node types were not checked.\n'
      : `Checked against ${origin}.\n`,
  );
}

export const diagramCommand = defineCommand({
  name: 'diagram',
  summary: 'print a graph as a Mermaid or PlantUML drawing',
  operands: oneOperand('FILE', 'one file'),
  about:
    'Prints a graph (.json, or .ts that exports one) as a drawing: a Mermaid flowchart, or a PlantUML state diagram.',
  flags: { format: textFlagOr('mermaid', 'FORMAT', 'mermaid or plantuml') },
  exits: { 0: 'drawn', 1: 'the definition has errors', 2: "wrong usage, or a file that can't be read" },
  async action({ values, given: file }, { stdout, stderr }) {
    const write = DIAGRAM_WRITERS[readChoiceFlag('--format', values.format, DIAGRAM_WRITERS)];
    const read = await readDefinition(file);
    const issues = checkDefinition(read, NOTHING_KNOWN);
    if (!hasNoErrors(issues) || !('definition' in read.content) || !isDefinition(read.content.definition)) {
      stderr.write(formatIssues(file, issues));
      return EXIT.failed;
    }
    stdout.write(write(read.content.definition));
    return EXIT.done;
  },
});

export const publishCommand = defineCommand({
  name: 'publish',
  summary: 'publish graphs',
  operands: someOperands('FILE', 'at least one file'),
  about: `Publishes graph definitions (.json, or .ts that exports a graph), in this order. What has not changed keeps its
    version, and what was published last is what its name means. A file that is refused keeps no other one from being
    published.`,
  flags: { ...accessFlags(), json: switchFlag('prints the published graphs as JSON') },
  exits: { 0: 'all published', 1: 'some definitions have errors', ...API_EXITS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    const published: Publication[] = [];
    for (const file of given) {
      const result = await publishFile(client, file);
      if ('problem' in result) terminal.stderr.write(result.problem);
      else {
        published.push(result.graph);
        if (!values.json) terminal.stdout.write(`${file}: ${describePublication(result.graph)}\n`);
      }
    }
    if (values.json) terminal.stdout.write(`${JSON.stringify(published, null, 2)}\n`);
    return published.length === given.length ? EXIT.done : EXIT.failed;
  },
});

const OUTCOMES: Readonly<Record<Publication['outcome'], string>> = {
  created: 'new',
  restored: 'published before',
  unchanged: 'unchanged',
};

/** @returns for example `refund, version 2 (published before); its name meant version 3 until now` */
export function describePublication({ name, version, outcome, replaced }: Publication): string {
  const before = replaced === null ? '' : `; its name meant version ${replaced} until now`;
  return `${name}, version ${version} (${OUTCOMES[outcome]})${before}`;
}

/** A published graph, or the formatted problems of its file. */
export type PublishedFile = { readonly graph: Publication } | { readonly problem: string };

/** @throws UsageError if the file can't be read; HoldfastError if the request to the API fails */
async function publishFile(client: Client, file: string): Promise<PublishedFile> {
  return await publishDefinition(client, await readDefinition(file));
}

/** @throws HoldfastError if the request to the API fails */
export async function publishDefinition({ graphs }: Client, definition: DefinitionFile): Promise<PublishedFile> {
  const { content, file } = definition;
  if ('fault' in content) return { problem: formatIssues(file, [content.fault]) };
  if (!isJsonObject(content.definition)) return { problem: `${file} holds no object, so no graph definition\n` };
  try {
    return { graph: await graphs.publish(content.definition) };
  } catch (error) {
    if (!(error instanceof HoldfastError) || (error.status !== 422 && error.status !== 413)) throw error;
    return { problem: `${describeRefusal(error)}\n${formatRefusal(error, definition)}` };
  }
}

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

import { EXIT } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { CONFIG_FLAG, NO_CONFIG_FLAG, wantsConfig } from '../input/config-flags.ts';
import { defineCommand } from '../line/define-command.ts';
import { switchFlag } from '../line/flags.ts';
import { formatIssues } from '../output/format-refusal.ts';
import { someOperands } from '../line/operands.ts';
import { checkDefinition, hasNoErrors } from './check-definition.ts';
import { NOTHING_KNOWN, readCatalog } from '../input/read-catalog.ts';
import { readDefinition } from '../input/read-definition.ts';
import type { LocatedIssue } from '../input/read-definition.ts';

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

function formatCount(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

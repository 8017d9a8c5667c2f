import { checkDefinition, isValid } from './check-definition.ts';
import { EXIT, UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import { formatIssues } from './format-issues.ts';
import { NOTHING_KNOWN, readCatalog } from './read-catalog.ts';
import { readDefinition } from './read-definition.ts';
import type { LocatedIssue } from './read-definition.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast validate FILE… [flags]

Finds every issue of graph definitions. The names of tools, functions and models are checked against a configuration, if
there is one; the names of published graphs are not checked.

  --config FILE   the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)
  --no-config     reads none
  --json          prints one JSON document: { configuration, files: [{ file, valid, issues }] }

Exit code: 0 no errors, perhaps warnings; 1 errors; 2 wrong usage, or a file that can't be read.
`;

interface FileResult {
  readonly file: string;
  readonly valid: boolean;
  readonly issues: readonly LocatedIssue[];
}

export const validate: Command = {
  summary: 'find every issue of graph definitions',
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = readFlags(args, {
      config: { type: 'string' },
      'no-config': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    });
    if (positionals.length === 0) throw new UsageError('validate takes at least one file');
    const known = values['no-config'] ? NOTHING_KNOWN : await readCatalog(values.config, terminal);
    const files = await Promise.all(positionals.map(readDefinition));
    const results = files.map((each): FileResult => {
      const issues = checkDefinition(each, known);
      return { file: each.file, valid: isValid(issues), issues };
    });
    if (values.json)
      terminal.stdout.write(`${JSON.stringify({ configuration: known.origin, files: results }, null, 2)}\n`);
    else report(results, known.origin, terminal);
    return results.every(({ valid }) => valid) ? EXIT.done : EXIT.failed;
  },
};

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

import type { GraphDefinition } from '../graph/definition/index.ts';
import { toMermaid, toPlantUml } from '../graph/diagram/index.ts';
import { isDefinition } from '../graph/definition/index.ts';
import { own } from '../graph/values/index.ts';
import { checkDefinition, isValid } from './check-definition.ts';
import { EXIT, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { formatIssues } from './format-issues.ts';
import { NOTHING_KNOWN } from './read-catalog.ts';
import { readDefinition } from './read-definition.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast diagram FILE [flags]

Prints a graph as a drawing: a Mermaid flowchart, or a PlantUML state diagram.

  --format FORMAT   mermaid (the default) or plantuml

Exit code: 0 drawn; 1 the definition has errors; 2 wrong usage, or a file that can't be read.
`;

const WRITERS = { mermaid: toMermaid, plantuml: toPlantUml } as const;

export const diagram: Command = {
  summary: 'print a graph as a Mermaid or PlantUML drawing',
  help: HELP,
  async run(args, { stdout, stderr }) {
    const { values, positionals } = readFlags(args, { format: { type: 'string', default: 'mermaid' } });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError('diagram takes one file');
    const write = own<(definition: GraphDefinition) => string>(WRITERS, values.format);
    if (!write) throw new UsageError(`--format takes ${Object.keys(WRITERS).join(' or ')}, not "${values.format}"`);
    const read = await readDefinition(file);
    const issues = checkDefinition(read, NOTHING_KNOWN);
    if (!isValid(issues) || !('definition' in read.content) || !isDefinition(read.content.definition)) {
      stderr.write(formatIssues(file, issues));
      return EXIT.failed;
    }
    stdout.write(write(read.content.definition));
    return EXIT.done;
  },
};

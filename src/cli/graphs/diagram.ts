import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { DIAGRAM_WRITERS } from '../../graph/diagram/index.ts';
import { own } from '../../graph/values/index.ts';
import { checkDefinition, hasNoErrors } from './check-definition.ts';
import { NOTHING_KNOWN } from '../input/read-catalog.ts';
import { readDefinition } from '../input/read-definition.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { textFlagOr } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { formatIssues } from '../output/format-refusal.ts';

export const diagramCommand = defineCommand({
  name: 'diagram',
  summary: 'print a graph as a Mermaid or PlantUML drawing',
  operands: oneOperand('FILE', 'one file'),
  about:
    'Prints a graph (.json, or .ts that exports one) as a drawing: a Mermaid flowchart, or a PlantUML state diagram.',
  flags: { format: textFlagOr('mermaid', 'FORMAT', 'mermaid or plantuml') },
  exits: { 0: 'drawn', 1: 'the definition has errors', 2: "wrong usage, or a file that can't be read" },
  async action({ values, given: file }, { stdout, stderr }) {
    const write = own<(definition: GraphDefinition) => string>(DIAGRAM_WRITERS, values.format);
    if (!write)
      throw new UsageError(`--format takes ${Object.keys(DIAGRAM_WRITERS).join(' or ')}, not "${values.format}"`);
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

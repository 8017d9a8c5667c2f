import type { Checkpoint } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { formatTable } from '../output/table.ts';

export const checkpoints = defineCommand({
  name: 'checkpoints',
  summary: 'list where a run has stood',
  operands: oneOperand('RUN', 'the id of one run'),
  about: 'Lists the checkpoints of a run, the newest first: where "holdfast fork" can begin, and what would run next.',
  flags: { ...accessFlags(), json: option('prints the checkpoints with their values as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const found: Checkpoint[] = [];
    for await (const checkpoint of runs.checkpoints(id, { limit: 100 })) found.push(checkpoint);
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : toTable(found));
    return EXIT.done;
  },
});

function toTable(found: readonly Checkpoint[]): string {
  const rows = found.map(({ id, step, source, next, createdAt }) => [
    id,
    `${step}`,
    source,
    next.join(', '),
    createdAt,
  ]);
  return formatTable(['CHECKPOINT', 'STEP', 'SOURCE', 'NEXT', 'AT'], rows);
}

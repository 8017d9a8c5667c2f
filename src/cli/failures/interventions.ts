import type { Intervention } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { formatTable } from '../output/table.ts';

export const interventions = defineCommand({
  name: 'interventions',
  summary: 'list failures that wait for a person',
  operands: NO_OPERANDS,
  about:
    'Lists nodes and calls that have failed and wait for a person. "holdfast retry", "skip" and "fail" settle them.',
  flags: { ...accessFlags(), json: option('prints the interventions as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const client = await openClient(values, terminal);
    const found: Intervention[] = [];
    for await (const intervention of client.interventions.list({ limit: 200 })) found.push(intervention);
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : toTable(found));
    if (!values.json)
      terminal.stderr.write(
        found.length === 0 ? 'Nothing waits for a person.\n' : 'Settle: npx holdfast retry RUN --id ID\n',
      );
    return EXIT.done;
  },
});

function toTable(found: readonly Intervention[]): string {
  if (found.length === 0) return '';
  const rows = found.map(({ runId, id, node, tool = '', args, error, since }) => [
    runId,
    id,
    node,
    `${tool}${args === null ? '' : JSON.stringify(args)}`,
    `${error.code} ${error.message}`,
    since,
  ]);
  return formatTable(['RUN', 'ID', 'NODE', 'CALL', 'ERROR', 'SINCE'], rows);
}

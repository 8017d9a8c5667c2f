import { textFlag, switchFlag, defineCommand, UsageError, EXIT, NO_OPERANDS } from '../line/command.ts';
import { openClient, API_EXITS, accessFlags, readAllPages } from '../input/api-access.ts';
import { CONTROL_FLAGS, RUN_COMMAND, REASON_FLAG, reasonField, controlRun } from './control.ts';
import { LIMITS_FLAG, readLimitsFlag, readJsonFlag } from '../input/read-flags.ts';
import type { Intervention } from '../../client/index.ts';
import { formatTable } from '../output/table.ts';

/* The flags by which commands select one of several pending interventions of a run. */

const WHICH_FLAGS = {
  node: textFlag('NODE', 'which node, where several wait'),
  id: textFlag('ID', 'which intervention, where several wait'),
} as const;

interface InterventionSelection {
  readonly node?: string | undefined;
  readonly id?: string | undefined;
}

/** The members of a request that select an intervention; empty if only one is pending. */
function whichIntervention({ node, id }: InterventionSelection): { readonly node?: string; readonly id?: string } {
  return { ...(node !== undefined && { node }), ...(id !== undefined && { id }) };
}

export const failCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'fail',
  summary: 'give up a node that has failed',
  about: 'Gives up a node or call that waits for a person. The run fails with it.',
  flags: { reason: REASON_FLAG, ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    return await controlRun(
      values,
      terminal,
      async (runs) => await runs.fail(id, { ...whichIntervention(values), ...reasonField(values.reason) }),
    );
  },
});

export const retryCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'retry',
  summary: 'do again what has failed',
  about: 'Does a node or call again that waits for a person, or the nodes that a failed run has failed at.',
  flags: { ...LIMITS_FLAG, ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const limits = await readLimitsFlag(values.limits);
    return await controlRun(
      values,
      terminal,
      async (runs) => await runs.retry(id, { ...whichIntervention(values), ...limits }),
    );
  },
});

export const skipCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'skip',
  summary: 'go on without a node that has failed',
  about: 'Goes on without a node or call that waits for a person, with an output of yours in its place.',
  flags: { output: textFlag('JSON', 'its output, or @FILE that holds it'), ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    if (values.output === undefined) throw new UsageError('Which output takes its place? Give --output JSON');
    const output = await readJsonFlag('--output', values.output);
    return await controlRun(
      values,
      terminal,
      async (runs) => await runs.skip(id, { ...whichIntervention(values), output }),
    );
  },
});

export const interventionsCommand = defineCommand({
  name: 'interventions',
  summary: 'list failures that wait for a person',
  operands: NO_OPERANDS,
  about:
    'Lists nodes and calls that have failed and wait for a person. "holdfast retry", "skip" and "fail" settle them.',
  flags: { ...accessFlags(), json: switchFlag('prints the interventions as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const client = await openClient(values, terminal);
    const found = await readAllPages(client.interventions.list({ limit: 200 }));
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : formatInterventions(found));
    if (!values.json)
      terminal.stderr.write(
        found.length === 0 ? 'Nothing waits for a person.\n' : 'Settle: npx holdfast retry RUN --id ID\n',
      );
    return EXIT.done;
  },
});

function formatInterventions(found: readonly Intervention[]): string {
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

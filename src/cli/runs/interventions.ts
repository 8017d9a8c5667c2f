import { textFlag, switchFlag, defineCommand, UsageError, EXIT, NO_OPERANDS } from '../line/command.ts';
import { openClient, API_EXITS, accessFlags } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { printList } from '../output/lists.ts';
import { CONTROL_FLAGS, RUN_COMMAND, REASON_FLAG, reasonField, controlRun } from './control.ts';
import { LIMITS_FLAG, readLimitsFlag, readJsonFlag } from '../input/read-flags.ts';
import type { Intervention } from '../../client/index.ts';
import { escapeInvisible } from '../../graph/values/index.ts';
import { holdfastCommand, nextActions, waitingReason } from '../../wording/index.ts';
import { formatErrorWithCause } from '../output/run-texts.ts';

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
  about: `Lists nodes and calls that have failed and wait for a person, with the call, its arguments and its error, uncut.
    "holdfast retry", "skip" and "fail" settle them.`,
  flags: { ...LIST_FLAGS, ...accessFlags(), json: switchFlag('prints the interventions as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const part = readListFlags(values);
    const { interventions } = await openClient(values, terminal);
    const found = await readList(part, (limit) => interventions.list({ limit }));
    const format = (items: readonly Intervention[]): string => items.map(formatIntervention).join('\n');
    printList(found, { json: values.json, format, none: 'Nothing waits for a person.' }, terminal);
    return EXIT.done;
  },
});

function formatIntervention(intervention: Intervention): string {
  const { runId, id, node, since, error } = intervention;
  const actions = nextActions(waitingReason({ kind: 'intervention', ...intervention }, null), runId);
  const lines = [
    `${runId}  ${node} has been waiting since ${since} (${id})`,
    `  error  ${formatErrorWithCause(error)}`,
    ...formatFailedCall(intervention).map((line) => `  ${line}`),
    ...actions.flatMap((next) => [`  ${next.action}: ${next.effect}`, `    ${holdfastCommand(next)}`]),
  ];
  return lines.map((line) => `${escapeInvisible(line.replaceAll('\n', ' '))}\n`).join('');
}

/** Formats the call of an intervention, uncut, with its idempotency key; no lines without a call. */
export function formatFailedCall({
  tool,
  args,
  idempotencyKey,
}: Pick<Intervention, 'tool' | 'args' | 'idempotencyKey'>): readonly string[] {
  return [
    ...(tool === undefined ? [] : [`call   ${tool}${args === null ? '' : ` ${JSON.stringify(args)}`}`]),
    ...(idempotencyKey === null ? [] : [`key    ${idempotencyKey}`]),
  ];
}

import type { Client, Run } from '../../client/index.ts';
import { formatCount } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { readJsonObject, readJsonFlag } from '../input/read-flags.ts';
import { EXIT, UsageError, switchFlag, textFlag, oneOperand, twoOperands, defineCommand } from '../line/command.ts';
import type { Terminal, FlagValues } from '../line/command.ts';
import { formatStatus } from '../output/run-texts.ts';
import { waitingLines } from '../../wording/index.ts';

/* Shared parts of commands that pause, end or continue one run. */

const CONTROL_EXITS = { 0: 'done', ...API_EXITS } as const;
export const CONTROL_FLAGS = { ...accessFlags(), json: switchFlag('prints the run as JSON') } as const;
export const REASON_FLAG = textFlag('TEXT', 'why; it is recorded');
export const VALUES_FLAG = textFlag('JSON', 'values to write into channels first, or @FILE that holds them');

export const RUN_COMMAND = { operands: oneOperand('RUN', 'the id of one run'), exits: CONTROL_EXITS } as const;

export function reasonField(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Reads the channel values of a flag. @throws UsageError */
export async function valuesField(values: string | undefined): Promise<{ readonly values?: JsonObject }> {
  return values === undefined ? {} : { values: await readJsonObject('--values', values, 'values of channels') };
}

/** The flags that each control of a run reads. */
type ControlValues = FlagValues<typeof CONTROL_FLAGS>;

/**
 * Sends a control by a client of the flags, and prints the run after it with its next actions.
 * @returns the exit code
 */
export async function controlRun(
  values: ControlValues,
  { stdout, stderr, env }: Terminal,
  send: (runs: Client['runs']) => Promise<Run>,
): Promise<number> {
  const client = await openClient(values, { env });
  const run = await send(client.runs);
  stdout.write(values.json ? `${JSON.stringify(run, null, 2)}\n` : `${formatStatus(run)}\n`);
  for (const line of await nextSteps(client, run)) stderr.write(`${line}\n`);
  return EXIT.done;
}

/** A run may wait for hundreds of approvals. */
const MAX_LINES = 20;

/**
 * Formats what a run waits for, with the command that continues it. Of an approval that can't be read, only the id is
 * given.
 */
export async function nextSteps({ approvals }: Client, { id: runId, waitingFor }: Run): Promise<readonly string[]> {
  const lines = waitingFor.slice(0, MAX_LINES).map(async (waiting) => {
    const approvalId = waiting.kind === 'approval' ? waiting.id : undefined;
    const approval = approvalId === undefined ? null : await approvals.get(approvalId).catch(() => null);
    return waitingLines(runId, waiting, approval);
  });
  const others = waitingFor.length - lines.length;
  return [...(await Promise.all(lines)).flat(), ...(others > 0 ? [`and for ${formatCount(others, 'other')}`] : [])];
}

export const cancelCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'cancel',
  summary: 'end a run as canceled',
  about: 'Ends a run as canceled. What its graph says is to be undone is undone.',
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    return await controlRun(values, terminal, async (runs) => await runs.cancel(id, reasonField(values.reason)));
  },
});

export const pauseCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'pause',
  summary: 'stop a run for now',
  about: `Stops a run after the superstep that it is in; a run that waits stops at once. Decisions are still taken.
    "holdfast resume" lets it go on.`,
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    return await controlRun(values, terminal, async (runs) => await runs.pause(id, reasonField(values.reason)));
  },
});

export const replanCommand = defineCommand({
  name: 'replan',
  summary: 'let a run go on at another node',
  operands: twoOperands('RUN NODE', 'the id of one run and the name of one node'),
  about: `Lets a run go on at one node only. It has to wait, to be paused or to have failed; what it waits for is given
    up. Whoever passes an approval by this has to be one who may decide it.`,
  flags: { values: VALUES_FLAG, ...CONTROL_FLAGS },
  exits: CONTROL_EXITS,
  async action({ values, given: [id, node] }, terminal) {
    const body = { node, ...(await valuesField(values.values)) };
    return await controlRun(values, terminal, async (runs) => await runs.replan(id, body));
  },
});

export const resumeCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'resume',
  summary: 'let a paused run go on',
  about: 'Lets a run go on from a pause or a breakpoint.',
  flags: {
    values: VALUES_FLAG,
    checkpoint: textFlag('ID', 'only if the run stands at this checkpoint'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { checkpoint } = values;
    const body = { ...(await valuesField(values.values)), ...(checkpoint !== undefined && { checkpoint }) };
    return await controlRun(values, terminal, async (runs) => await runs.resume(id, body));
  },
});

export const signalCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'signal',
  summary: 'give an event to a run',
  about: 'Gives an event to a node that waits for it, now or later.',
  flags: {
    event: textFlag('NAME', 'the name of the event'),
    payload: textFlag('JSON', 'what comes with it, or @FILE that holds it'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { event, payload } = values;
    if (event === undefined) throw new UsageError('Which event? Give --event NAME');
    const body = { event, ...(payload !== undefined && { payload: await readJsonFlag('--payload', payload) }) };
    return await controlRun(values, terminal, async (runs) => await runs.signal(id, body));
  },
});

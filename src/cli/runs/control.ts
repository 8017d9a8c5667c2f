import type { Client, Run } from '../../client/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { readJsonObject, readJson } from '../input/read-json.ts';
import { EXIT, UsageError } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { option, text } from '../line/flags.ts';
import { oneOperand, twoOperands } from '../line/operands.ts';
import { nextSteps } from '../output/table.ts';
import { defineCommand } from '../line/define-command.ts';

/* Shared parts of commands that pause, end or continue one run. */

const CONTROL_EXITS = { 0: 'done', ...API_EXITS } as const;
export const CONTROL_FLAGS = { ...accessFlags(), json: option('prints the run as JSON') } as const;
export const REASON_FLAG = text('TEXT', 'why; it is recorded');
export const VALUES_FLAG = text('JSON', 'values to write into channels first, or @FILE that holds them');

export const OF_RUN = { operands: oneOperand('RUN', 'the id of one run'), exits: CONTROL_EXITS } as const;

export function reasonOf(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Reads the channel values of a flag. @throws UsageError */
export async function valuesOf(values: string | undefined): Promise<{ readonly values?: JsonObject }> {
  return values === undefined ? {} : { values: await readJsonObject('--values', values, 'values of channels') };
}

/** Prints a run after a control, with its next actions. @returns the exit code */
export async function reportRun(
  client: Client,
  run: Run,
  json: boolean,
  { stdout, stderr }: Terminal,
): Promise<number> {
  stdout.write(json ? `${JSON.stringify(run, null, 2)}\n` : `${run.id} is ${run.status}\n`);
  for (const line of await nextSteps(client, run)) stderr.write(`${line}\n`);
  return EXIT.done;
}

export const cancel = defineCommand({
  ...OF_RUN,
  name: 'cancel',
  summary: 'end a run as canceled',
  about: 'Ends a run as canceled. What its graph says is to be undone is undone.',
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const client = await openClient(values, terminal);
    const run = await client.runs.cancel(id, reasonOf(values.reason));
    return await reportRun(client, run, values.json, terminal);
  },
});

export const pause = defineCommand({
  ...OF_RUN,
  name: 'pause',
  summary: 'stop a run for now',
  about: `Stops a run after the superstep that it is in; a run that waits stops at once. Decisions are still taken.
    "holdfast resume" lets it go on.`,
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const client = await openClient(values, terminal);
    const run = await client.runs.pause(id, reasonOf(values.reason));
    return await reportRun(client, run, values.json, terminal);
  },
});

export const replan = defineCommand({
  name: 'replan',
  summary: 'let a run go on at another node',
  operands: twoOperands('RUN NODE', 'the id of one run and the name of one node'),
  about: `Lets a run go on at one node only. It has to wait, to be paused or to have failed; what it waits for is given
    up. Whoever passes an approval by this has to be one who may decide it.`,
  flags: { values: VALUES_FLAG, ...CONTROL_FLAGS },
  exits: CONTROL_EXITS,
  async action({ values, given: [id, node] }, terminal) {
    const body = { node, ...(await valuesOf(values.values)) };
    const client = await openClient(values, terminal);
    const run = await client.runs.replan(id, body);
    return await reportRun(client, run, values.json, terminal);
  },
});

export const resume = defineCommand({
  ...OF_RUN,
  name: 'resume',
  summary: 'let a paused run go on',
  about: 'Lets a run go on from a pause or a breakpoint.',
  flags: {
    values: VALUES_FLAG,
    checkpoint: text('ID', 'only if the run stands at this checkpoint'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { checkpoint } = values;
    const body = { ...(await valuesOf(values.values)), ...(checkpoint !== undefined && { checkpoint }) };
    const client = await openClient(values, terminal);
    const run = await client.runs.resume(id, body);
    return await reportRun(client, run, values.json, terminal);
  },
});

export const signal = defineCommand({
  ...OF_RUN,
  name: 'signal',
  summary: 'give an event to a run',
  about: 'Gives an event to a node that waits for it, now or later.',
  flags: {
    event: text('NAME', 'the name of the event'),
    payload: text('JSON', 'what comes with it, or @FILE that holds it'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { event, payload } = values;
    if (event === undefined) throw new UsageError('Which event? Give --event NAME');
    const body = { event, ...(payload !== undefined && { payload: await readJson('--payload', payload) }) };
    const client = await openClient(values, terminal);
    const run = await client.runs.signal(id, body);
    return await reportRun(client, run, values.json, terminal);
  },
});

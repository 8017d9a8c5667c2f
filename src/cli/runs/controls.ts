import type { Client, Run } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT, UsageError } from '../line/command.ts';
import type { Command, Terminal } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { readJson, readJsonObject } from '../input/read-json.ts';
import { waysOn } from '../output/ways-on.ts';

/* Commands that let one run go on, or end it. */

const ofRun = {
  operands: oneOperand('RUN', 'the id of one run'),
  exits: { 0: 'done', ...API_EXITS },
} as const;
const WHICH = {
  node: text('NODE', 'which node, where several wait'),
  id: text('ID', 'which intervention, where several wait'),
} as const;
const REASON = text('TEXT', 'why; it is recorded');
const ACCESS = accessFlags('user');

const retry = defineCommand({
  ...ofRun,
  name: 'retry',
  summary: 'do again what has failed',
  about: 'Does a node or call again that waits for a person, or the nodes that a failed run has failed at.',
  flags: { ...WHICH, ...ACCESS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    return await report(client, await client.runs.retry(given, which(values)), terminal);
  },
});

const skip = defineCommand({
  ...ofRun,
  name: 'skip',
  summary: 'go on without a node that has failed',
  about: 'Goes on without a node or call that waits for a person, with an output of yours in its place.',
  flags: { output: text('JSON', 'its output, or @FILE that holds it'), ...WHICH, ...ACCESS },
  async action({ values, given }, terminal) {
    if (values.output === undefined) throw new UsageError('Which output takes its place? Give --output JSON');
    const client = await openClient(values, terminal);
    const output = await readJson('--output', values.output);
    return await report(client, await client.runs.skip(given, { ...which(values), output }), terminal);
  },
});

const fail = defineCommand({
  ...ofRun,
  name: 'fail',
  summary: 'give up a node that has failed',
  about: 'Gives up a node or call that waits for a person. The run fails with it.',
  flags: { reason: REASON, ...WHICH, ...ACCESS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    const body = { ...which(values), ...reasonOf(values) };
    return await report(client, await client.runs.fail(given, body), terminal);
  },
});

const resume = defineCommand({
  ...ofRun,
  name: 'resume',
  summary: 'let a paused run go on',
  about: 'Lets a run go on from a pause or a breakpoint.',
  flags: { values: text('JSON', 'values to write into channels first, or @FILE that holds them'), ...ACCESS },
  async action({ values: flags, given }, terminal) {
    const client = await openClient(flags, terminal);
    const values =
      flags.values === undefined ? {} : await readJsonObject('--values', flags.values, 'values of channels');
    return await report(client, await client.runs.resume(given, { values }), terminal);
  },
});

const signal = defineCommand({
  ...ofRun,
  name: 'signal',
  summary: 'give an event to a run',
  about: 'Gives an event to a node that waits for it, now or later.',
  flags: {
    event: text('NAME', 'the name of the event'),
    payload: text('JSON', 'what comes with it, or @FILE that holds it'),
    ...ACCESS,
  },
  async action({ values, given }, terminal) {
    const { event, payload } = values;
    if (event === undefined) throw new UsageError('Which event? Give --event NAME');
    const client = await openClient(values, terminal);
    const body = { event, ...(payload !== undefined && { payload: await readJson('--payload', payload) }) };
    return await report(client, await client.runs.signal(given, body), terminal);
  },
});

const cancel = defineCommand({
  ...ofRun,
  name: 'cancel',
  summary: 'end a run as canceled',
  about: 'Ends a run as canceled. What its graph says is to be undone is undone.',
  flags: { reason: REASON, ...ACCESS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    return await report(client, await client.runs.cancel(given, reasonOf(values)), terminal);
  },
});

export const CONTROL_COMMANDS: readonly Command[] = [retry, skip, fail, resume, signal, cancel];

function which({ node, id }: { readonly node?: string | undefined; readonly id?: string | undefined }) {
  return { ...(node !== undefined && { node }), ...(id !== undefined && { id }) };
}

function reasonOf({ reason }: { readonly reason?: string | undefined }) {
  return reason === undefined ? {} : { reason };
}

async function report(client: Client, run: Run, { stdout, stderr }: Terminal): Promise<number> {
  stdout.write(`${run.id} is ${run.status}\n`);
  for (const line of await waysOn(client, run)) stderr.write(`${line}\n`);
  return EXIT.done;
}

import type { Run, RunStatus, Checkpoint, Fork } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { readChoiceFlag } from '../input/read-flags.ts';
import { readGraph } from '../input/read-definition.ts';
import { printList, formatTable } from '../output/lists.ts';
import {
  EXIT,
  UsageError,
  defineCommand,
  switchFlag,
  textFlag,
  textFlagOr,
  NO_OPERANDS,
  oneOperand,
} from '../line/command.ts';
import { CONTROL_FLAGS, RUN_COMMAND, controlRun, VALUES_FLAG, valuesField } from './control.ts';

const STATUS_CHOICES: Readonly<Record<RunStatus, RunStatus>> = {
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
};

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'list runs, the newest first',
  operands: NO_OPERANDS,
  about: `Lists runs, the newest first, with what has failed or is waited for. "holdfast explain" says more of one. A run has
    to fulfill all that the flags say.`,
  flags: {
    status: textFlag('STATUS', `${Object.keys(STATUS_CHOICES).join(', ')}; or several with commas between them`),
    graph: textFlag('NAME', 'of the graph with this name'),
    thread: textFlag('ID', 'of one thread'),
    parent: textFlag('RUN', 'forks of this run'),
    after: textFlag('TIME', 'begun after this time, such as 2026-11-26T15:00:00Z'),
    before: textFlag('TIME', 'begun before this time'),
    last: textFlagOr('50', 'N', 'so many runs at most'),
    cursor: LIST_FLAGS.cursor,
    ...accessFlags(),
    json: switchFlag('prints the runs as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const part = readListFlags(values);
    const filter = {
      status: readStatusFlag(values.status),
      graph: values.graph,
      threadId: values.thread,
      parentRunId: values.parent,
      createdAfter: readTimeFlag('--after', values.after),
      createdBefore: readTimeFlag('--before', values.before),
    };
    const { runs } = await openClient(values, terminal);
    const found = await readList(part, (limit) => runs.list({ ...filter, limit }));
    printList(found, { json: values.json, format: toRunTable, none: 'There is no such run.' }, terminal);
    return EXIT.done;
  },
});

function readStatusFlag(given: string | undefined): readonly RunStatus[] | undefined {
  return given?.split(',').map((name) => readChoiceFlag('--status', name, STATUS_CHOICES));
}

/** @throws UsageError for an invalid time */
function readTimeFlag(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (!/^\d{4}-/.test(given) || Number.isNaN(time.getTime()))
    throw new UsageError(`${flag} takes a time such as 2026-11-26T15:00:00Z, not "${given}"`);
  return time.toISOString();
}

export function toRunTable(found: readonly Run[]): string {
  const rows = found.map((run) => [run.id, run.status, run.graph.name, run.createdAt, formatStatusReason(run)]);
  return formatTable(['RUN', 'STATUS', 'GRAPH', 'CREATED', 'REASON'], rows);
}

/** The reason why a run has failed, or what it waits for. */
function formatStatusReason({ error, waitingFor }: Run): string {
  if (error) return `${error.code} ${error.message}`;
  return waitingFor.map(({ kind, node }) => `${kind} at ${node}`).join(', ');
}

export const checkpointsCommand = defineCommand({
  name: 'checkpoints',
  summary: 'list where a run has stood',
  operands: oneOperand('RUN', 'the id of one run'),
  about: 'Lists the checkpoints of a run, the newest first: where "holdfast fork" can begin, and what would run next.',
  flags: { ...LIST_FLAGS, ...accessFlags(), json: switchFlag('prints the checkpoints with their values as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const part = readListFlags(values);
    const { runs } = await openClient(values, terminal);
    const found = await readList(part, (limit) => runs.checkpoints(id, { limit }));
    const none = 'The run has no checkpoint yet.';
    printList(found, { json: values.json, format: toCheckpointTable, none }, terminal);
    return EXIT.done;
  },
});

function toCheckpointTable(found: readonly Checkpoint[]): string {
  const rows = found.map(({ id, step, source, next, createdAt }) => [
    id,
    `${step}`,
    source,
    next.join(', '),
    createdAt,
  ]);
  return formatTable(['CHECKPOINT', 'STEP', 'SOURCE', 'NEXT', 'AT'], rows);
}

export const forkCommand = defineCommand({
  ...RUN_COMMAND,
  name: 'fork',
  summary: 'begin a new run where another one stood',
  about: `Begins a new run with the state of another one at a checkpoint, which "holdfast checkpoints" lists. The other one
    stays as it is. What follows the checkpoint is done again, under keys of the new run.`,
  flags: {
    checkpoint: textFlag('ID', 'where it begins'),
    values: VALUES_FLAG,
    'as-node': textFlag('NODE', 'goes on as if this node had written the values'),
    graph: textFlag('GRAPH', 'another graph, as NAME, NAME@VERSION or @FILE'),
    ...CONTROL_FLAGS,
  },
  exits: { ...RUN_COMMAND.exits, 0: 'forked' },
  async action({ values, given: id }, terminal) {
    const { checkpoint, graph, 'as-node': asNode } = values;
    if (checkpoint === undefined)
      throw new UsageError('Where does it begin? Give --checkpoint ID, as "holdfast checkpoints" lists them');
    const body = {
      checkpoint,
      ...(await valuesField(values.values)),
      ...(asNode !== undefined && { asNode }),
      ...(graph !== undefined && { graph: await readForkGraph(graph) }),
    };
    return await controlRun(values, terminal, async (runs) => await runs.fork(id, body));
  },
});

async function readForkGraph(graph: string): Promise<NonNullable<Fork['graph']>> {
  return graph.startsWith('@') ? await readGraph(graph.slice(1)) : graph;
}

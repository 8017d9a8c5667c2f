import type { Client, Run, RunFilter, RunStatus, Checkpoint, Explanation, Fork } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient, readAllPages } from '../input/api-access.ts';
import { readChoiceFlag, readCountFlag } from '../input/read-flags.ts';
import { readGraph } from '../input/read-definition.ts';
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
import { formatTable } from '../output/table.ts';
import { TONE_BY_STATUS, paintFor } from '../output/style.ts';
import type { Paint } from '../output/style.ts';
import { formatLocalTime, zoneName } from '../output/times.ts';
import { CONTROL_FLAGS, RUN_COMMAND, controlRun, VALUES_FLAG, valuesField } from './control.ts';
import { formatEvent, toneOfEvent } from '../../wording/index.ts';
import type { Tone } from '../../wording/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';

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
    last: textFlagOr('50', 'N', 'so many runs'),
    ...accessFlags(),
    json: switchFlag('prints the runs as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const last = readCountFlag('--last', values.last);
    const filter = {
      status: readStatusFlag(values.status),
      graph: values.graph,
      threadId: values.thread,
      parentRunId: values.parent,
      createdAfter: readTimeFlag('--after', values.after),
      createdBefore: readTimeFlag('--before', values.before),
    };
    const { found, hasMore } = await listNewest(await openClient(values, terminal), filter, last);
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : formatRuns(found));
    if (found.length === 0) terminal.stderr.write('There is no such run.\n');
    if (hasMore) terminal.stderr.write(`There are more: --last ${last * 2} lists the newest ${last * 2}.\n`);
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

/** The largest page of the API. */
const MAX_PAGE = 200;

/** Reads pages until there are enough runs. */
async function listNewest(client: Client, filter: RunFilter, most: number) {
  const found: Run[] = [];
  // One additional run shows whether there are more.
  const limit = Math.min(most + 1, MAX_PAGE);
  for await (const run of client.runs.list({ ...filter, limit })) {
    if (found.length === most) return { found, hasMore: true };
    found.push(run);
  }
  return { found, hasMore: false };
}

function formatRuns(found: readonly Run[]): string {
  if (found.length === 0) return '';
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
  flags: { ...accessFlags(), json: switchFlag('prints the checkpoints with their values as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const found = await readAllPages(runs.checkpoints(id, { limit: 100 }));
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : toCheckpointTable(found));
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

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'say why a run waits or has stopped',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Says why a run waits or has stopped, since when, what is left of its limits, and who can do what now, with the
    commands. What you may not do has no command.`,
  flags: { ...accessFlags(), json: switchFlag('prints the explanation as JSON') },
  exits: { 0: 'explained', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const explanation = await runs.explain(id);
    const paint = paintFor(terminal.stdout, terminal.env);
    terminal.stdout.write(
      values.json ? `${JSON.stringify(explanation, null, 2)}\n` : formatExplanation(explanation, paint),
    );
    return EXIT.done;
  },
});

/** A line of an explanation, and what it says. */
type ExplanationLine = readonly [tone: Tone | null, text: string];

function formatExplanation(explanation: Explanation, paint: Paint): string {
  const { runId, status, since, reasons, budget, deadline, actions } = explanation;
  const tone = TONE_BY_STATUS[status];
  const left = budget.map(({ limit, allowed, left: rest }) => `${limit} ${rest} of ${allowed}`);
  const lines: readonly ExplanationLine[] = [
    ['heading', `${runId} is ${status} since ${since}`],
    ...reasons.map(({ text }): ExplanationLine => [tone, `  ${text}`]),
    ...(left.length > 0 ? [[null, `  left: ${left.join(', ')}`] as const] : []),
    ...(deadline ? [[null, `  deadline: ${deadline.at ?? 'stands still'}. ${deadline.effect}`] as const] : []),
    ...actions.flatMap(formatAction),
  ];
  return lines.map(([of, text]) => `${paint(of, text.replaceAll('\n', ' '))}\n`).join('');
}

function formatAction({
  action,
  effect,
  who,
  allowed,
  command,
}: Explanation['actions'][number]): readonly ExplanationLine[] {
  return [[null, `${action}: ${effect}`], allowed ? [null, `  ${command.holdfast}`] : ['quiet', `  by ${who}`]];
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

export const historyCommand = defineCommand({
  name: 'history',
  summary: 'print what has happened to a run',
  operands: oneOperand('RUN', 'the id of one run'),
  about:
    'Prints the events of a run in order: number, local time, superstep (-1 is before the first), and what has happened.',
  flags: {
    follow: switchFlag('goes on until the run has ended'),
    ...accessFlags(),
    json: switchFlag('prints whole events, one a line'),
  },
  exits: { 0: 'printed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const paint = paintFor(terminal.stdout, terminal.env);
    const events = values.follow ? runs.follow(id) : runs.history(id, { limit: 1_000 });
    let isFirst = true;
    for await (const event of events) {
      if (isFirst && !values.json) terminal.stdout.write(`${paint('heading', eventHeading())}\n`);
      isFirst = false;
      const line = values.json ? JSON.stringify(event) : formatEventLine(event, paint);
      if (line !== null) terminal.stdout.write(`${line}\n`);
    }
    return EXIT.done;
  },
});

/** The width of a local time. */
const TIME_WIDTH = 23;

function eventHeading(): string {
  return ` SEQ  ${`TIME (${zoneName()})`.padEnd(TIME_WIDTH)}  STEP  EVENT`;
}

function formatEventLine(event: RunEvent, paint: Paint): string | null {
  const text = formatEvent(event);
  if (text === null) return null;
  const head = `${String(event.seq).padStart(4)}  ${formatLocalTime(event.at)}  ${String(event.step).padStart(4)}`;
  return `${paint('quiet', head)}  ${paint(toneOfEvent(event), text)}`;
}

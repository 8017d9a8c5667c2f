import type { Client, Run, RunFilter, RunStatus } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { readChoice } from '../input/read-choice.ts';
import { readCount } from '../input/read-count.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option, text, textOr } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { formatTable } from '../output/table.ts';

const STATUSES: Readonly<Record<RunStatus, RunStatus>> = {
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
};

export const runs = defineCommand({
  name: 'runs',
  summary: 'list runs, the newest first',
  operands: NO_OPERANDS,
  about: `Lists runs, the newest first, with what has failed or is waited for. "holdfast explain" says more of one. A run has
    to fulfill all that the flags say.`,
  flags: {
    status: text('STATUS', `${Object.keys(STATUSES).join(', ')}; or several with commas between them`),
    graph: text('NAME', 'of the graph with this name'),
    thread: text('ID', 'of one thread'),
    parent: text('RUN', 'forks of this run'),
    after: text('TIME', 'begun after this time, such as 2026-11-26T15:00:00Z'),
    before: text('TIME', 'begun before this time'),
    last: textOr('50', 'N', 'so many runs'),
    ...accessFlags(),
    json: option('prints the runs as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const last = readCount('--last', values.last);
    const filter = {
      status: readStatuses(values.status),
      graph: values.graph,
      threadId: values.thread,
      parentRunId: values.parent,
      createdAfter: readTime('--after', values.after),
      createdBefore: readTime('--before', values.before),
    };
    const { found, hasMore } = await listNewest(await openClient(values, terminal), filter, last);
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : toTable(found));
    if (found.length === 0) terminal.stderr.write('There is no such run.\n');
    if (hasMore) terminal.stderr.write(`There are more: --last ${last * 2} lists more of them.\n`);
    return EXIT.done;
  },
});

function readStatuses(given: string | undefined): readonly RunStatus[] | undefined {
  return given?.split(',').map((name) => readChoice('--status', name, STATUSES));
}

/** @throws UsageError for what is no time */
function readTime(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (!/^\d{4}-/.test(given) || Number.isNaN(time.getTime()))
    throw new UsageError(`${flag} takes a time such as 2026-11-26T15:00:00Z, not "${given}"`);
  return time.toISOString();
}

/** The most that the API gives at once. */
const MAX_PAGE = 200;

/** Reads pages until there are enough runs. */
async function listNewest(client: Client, filter: RunFilter, most: number) {
  const found: Run[] = [];
  // One run more tells if there are more.
  const limit = Math.min(most + 1, MAX_PAGE);
  for await (const run of client.runs.list({ ...filter, limit })) {
    if (found.length === most) return { found, hasMore: true };
    found.push(run);
  }
  return { found, hasMore: false };
}

function toTable(found: readonly Run[]): string {
  if (found.length === 0) return '';
  const rows = found.map((run) => [run.id, run.status, run.graph.name, run.createdAt, toReason(run)]);
  return formatTable(['RUN', 'STATUS', 'GRAPH', 'CREATED', 'REASON'], rows);
}

/** Why a run has failed, or what it waits for. */
function toReason({ error, waitingFor }: Run): string {
  if (error) return `${error.code} ${error.message}`;
  return waitingFor.map(({ kind, node }) => `${kind} at ${node}`).join(', ');
}

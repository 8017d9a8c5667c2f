import type { Run, Thread } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { EXIT, defineCommand, optionalOperand, switchFlag, textFlagOr } from '../line/command.ts';
import { printList, formatTable } from '../output/lists.ts';
import { toRunTable } from './runs.ts';

export const threadsCommand = defineCommand({
  name: 'threads',
  summary: 'list threads, or the runs of one',
  operands: optionalOperand('THREAD', 'the id of one thread at most'),
  about: `Lists the threads of the newest runs; with THREAD its runs, the newest first, and on standard error which one is open and
    which ones wait for their turn. "holdfast state RUN" of the last run prints the values that the next one begins with.`,
  flags: {
    last: textFlagOr('100', 'N', 'of so many runs at most'),
    cursor: LIST_FLAGS.cursor,
    ...accessFlags(),
    json: switchFlag('prints threads with their last runs, or the runs of the one, as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const part = readListFlags(values);
    const { runs, threads } = await openClient(values, terminal);
    const { json } = values;
    if (id === undefined) {
      const found = await readList(part, (limit) => runs.list({ limit }));
      printList(
        { ...found, items: findLastRuns(found.items) },
        { json, format: toThreadTable, none: 'No run of these belongs to a thread.' },
        terminal,
      );
      return EXIT.done;
    }
    const [thread, found] = await Promise.all([
      threads.get(id),
      readList(part, (limit) => threads.runs(id, { limit })),
    ]);
    printList(found, { json, format: toRunTable, none: 'The thread has no run.' }, terminal);
    if (!json) terminal.stderr.write(`${formatThread(thread)}\n`);
    return EXIT.done;
  },
});

/** A thread with the newest of its listed runs. */
interface LastRun {
  readonly threadId: string;
  readonly lastRun: Run;
}

/** @param runs the newest first */
function findLastRuns(runs: readonly Run[]): readonly LastRun[] {
  const found = new Map<string, LastRun>();
  for (const lastRun of runs) {
    const { threadId } = lastRun;
    if (threadId !== null && !found.has(threadId)) found.set(threadId, { threadId, lastRun });
  }
  return [...found.values()];
}

function toThreadTable(threads: readonly LastRun[]): string {
  const rows = threads.map(({ threadId, lastRun: { id, status, graph, createdAt } }) => [
    threadId,
    id,
    status,
    graph.name,
    createdAt,
  ]);
  return formatTable(['THREAD', 'LAST RUN', 'STATUS', 'GRAPH', 'CREATED'], rows);
}

function formatThread({ id, activeRunId, queued }: Thread): string {
  const open = activeRunId === null ? 'no run is open' : `run ${activeRunId} is open`;
  return `Thread ${id}: ${open}${queued.length === 0 ? '' : `; waiting for their turn: ${queued.join(', ')}`}`;
}

import type { RunEvent } from '../../graph/journal/index.ts';
import type { Run } from '../answers.ts';
import type { Connection } from '../connection.ts';
import { path } from '../path.ts';
import { isEnded } from '../wait-for-run.ts';
import { createPauses } from './pauses.ts';
import { readEvent } from './read-event.ts';
import { readStream } from './read-stream.ts';

interface StreamedRun {
  readonly id: string;
  /** The `seq` of the last event that is known. */
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
}

/** The events that end a run, unless it is reopened. */
const ENDINGS: ReadonlySet<RunEvent['type']> = new Set(['run.completed', 'run.failed', 'run.canceled']);

/** Gives each event of a run once, in order, over as many streams as it takes. @returns the run once it has ended */
export async function* streamRun(
  connection: Connection,
  { id, after, signal }: StreamedRun,
): AsyncGenerator<RunEvent, Run> {
  const pauses = createPauses(connection.timing, signal);
  const at = path`/api/runs/${id}`;
  let last = after;
  let hasLastEvent = false;
  for (let hasEnded = false; ;) {
    let isWhole = false;
    const place = { lastId: last > 0 ? String(last) : undefined, signal, onEnd: () => (isWhole = true) };
    for await (const { data } of readStream(connection, { path: `${at}/events` }, place)) {
      if (data === '') continue;
      const event = readEvent<RunEvent>(data);
      last = event.seq;
      hasLastEvent = ENDINGS.has(event.type);
      pauses.reset();
      yield event;
    }
    const run = await connection.send.json<Run>({ method: 'GET', path: at }, { signal });
    // A stream that begins after the end of the run, and is whole, has all events.
    if (isEnded(run) && (hasLastEvent || (hasEnded && isWhole))) return run;
    hasEnded = isEnded(run);
    if (!hasEnded) await pauses.next();
  }
}

import type { CallProgress, RunEvent, ModelDelta } from '../graph/journal/index.ts';
import type { CallOptions, Connection } from './send.ts';
import { createPauses, readEvent, readStream } from './read-stream.ts';
import type { Run } from './answers.ts';
import { toPath } from './listing.ts';
import { isEnded } from './wait-for-run.ts';
import type { ServerSentEvent } from './read-stream.ts';

/** An event of one of many runs. */
export type TenantEvent = RunEvent & { readonly runId: string };

export interface EventFilter extends Pick<CallOptions, 'signal'> {
  /** Only events of runs of this graph, by name. */
  readonly graph?: string | undefined;
  /** Only events of these types. */
  readonly types?: readonly RunEvent['type'][] | undefined;
  /** An id that `onPlace` has received: the stream begins with the events after it. It is valid for an hour. */
  readonly after?: string | undefined;
  /** Receives the id from which to resume: when a stream begins, after each event, and about every 15 seconds. */
  readonly onPlace?: ((id: string) => void) | undefined;
}

/** Yields the events of all runs of the tenant as they occur, each once; it opens streams again as needed. */
export async function* streamEvents(
  connection: Connection,
  { graph, types, after, onPlace, signal }: EventFilter = {},
): AsyncGenerator<TenantEvent, void> {
  const pauses = createPauses(connection.timing, signal);
  const query = { graph, type: types?.join(',') };
  for (let lastId = after; ;) {
    for await (const event of readStream(connection, { path: '/api/events', query }, { lastId, signal })) {
      if (event.lastId !== lastId) pauses.reset();
      lastId = event.lastId;
      if (event.data !== '') yield readEvent<TenantEvent>(event.data);
      onPlace?.(lastId);
    }
    await pauses.next();
  }
}

/** A run whose events after a position are read. */
export interface StreamedRun {
  readonly id: string;
  /** The `seq` of the last known event. */
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
}

/** A piece of a model's text while it is generated. It is no event of the history, and may be missing. */
export interface TokenEvent extends ModelDelta {
  readonly type: 'model.delta';
}

/** What the code of a tool or function reports while it works. It is no event of the history, and may be missing. */
export interface ProgressEvent extends CallProgress {
  readonly type: 'tool.progress';
}

/**
 * Yields each event of a run once, in order, and opens streams again as needed.
 * @param stream `tokens` also yields the text of models while it is generated, and the progress of calls
 * @returns the run once it has ended
 */
export function streamRun(connection: Connection, run: StreamedRun): AsyncGenerator<RunEvent, Run>;

export function streamRun(
  connection: Connection,
  run: StreamedRun,
  stream: 'tokens',
): AsyncGenerator<RunEvent | TokenEvent | ProgressEvent, Run>;

export async function* streamRun(
  connection: Connection,
  { id, after, signal }: StreamedRun,
  stream?: 'tokens',
): AsyncGenerator<RunEvent | TokenEvent | ProgressEvent, Run> {
  const query = { stream };
  const pauses = createPauses(connection.timing, signal);
  const at = toPath`/api/runs/${id}`;
  let last = after;
  for (;;) {
    const lastId = last > 0 ? String(last) : undefined;
    for await (const event of parseRunEvents(
      readStream(connection, { path: `${at}/events`, query }, { lastId, signal }),
    )) {
      if (event.type !== 'model.delta' && event.type !== 'tool.progress') {
        last = event.seq;
        pauses.reset();
      }
      yield event;
    }
    const run = await connection.send.json<Run>({ method: 'GET', path: at }, { signal });
    // A stream also ends when its API process stops, and the run may since have been reopened and ended again.
    if (isEnded(run) && last >= run.lastSeq) return run;
    await pauses.next();
  }
}

async function* parseRunEvents(
  stream: AsyncIterable<ServerSentEvent>,
): AsyncGenerator<RunEvent | TokenEvent | ProgressEvent, void> {
  for await (const { type, data } of stream)
    if (type === 'model.delta') yield { type, ...readEvent<ModelDelta>(data) };
    else if (type === 'tool.progress') yield { type, ...readEvent<CallProgress>(data) };
    else if (data !== '') yield readEvent<RunEvent>(data);
}

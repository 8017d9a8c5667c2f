import type { CallProgress, ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta, hidesProgress } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { hiddenFrom, redactEvent } from '../redaction.ts';
import { writeFrames, toSseFrame } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import { subscribeToRun } from './subscribe-to-run.ts';
import type { SubscribedRun, UpdateSources } from './subscribe-to-run.ts';

interface StreamSources extends UpdateSources {
  readonly fingerprints: Fingerprints;
}

/** The part of a run's history that a stream sends. */
interface StreamedRun extends SubscribedRun {
  /** The `seq` of the last event that the reader has. */
  readonly after: number;
  readonly caller: Caller;
}

/**
 * Streams the events of a run as they are stored, from its history on: each once, in order, redacted for the caller. It
 * subscribes before it reads, so that no event is missed. It returns after the last event of an ended run; if the run
 * was reopened by then, it continues. Model deltas and the progress of calls are sent without an id, so a reader that
 * reconnects does not receive those that it has missed.
 */
export async function streamRun(sources: StreamSources, streamed: StreamedRun, body: SseBody): Promise<void> {
  const { after, caller } = streamed;
  const subscription = await subscribeToRun(sources, streamed);
  try {
    for await (const { deltas, progress, events, run, isUpToDate } of subscription.updates(after, [body.over])) {
      const hidden = hiddenFrom(caller, run);
      await writeFrames(body, visibleDeltas(deltas, hidden), toDeltaFrame);
      const visible = progress.filter((one) => !hidesProgress(one, hidden));
      await writeFrames(body, visible, toProgressFrame);
      await writeFrames(body, events, createEventFramer(hidden, sources.fingerprints));
      if (isUpToDate && isEnded(run.status)) return;
    }
  } finally {
    subscription.close();
  }
}

/** Leaves out the deltas that are hidden from the reader. */
function visibleDeltas(deltas: readonly ModelDelta[], hidden: Redaction): readonly ModelDelta[] {
  return deltas.filter((delta) => hideDelta(delta, hidden) === delta);
}

function toDeltaFrame(delta: ModelDelta): string {
  return toSseFrame({ type: 'model.delta', data: delta });
}

function toProgressFrame(progress: CallProgress): string {
  return toSseFrame({ type: 'tool.progress', data: progress });
}

function createEventFramer(hidden: Redaction, fingerprints: Fingerprints): (event: RunEvent) => string {
  return (event) =>
    toSseFrame({ id: String(event.seq), type: event.type, data: redactEvent(event, hidden, fingerprints) });
}

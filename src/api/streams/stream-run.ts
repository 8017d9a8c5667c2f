import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Seals } from '../http/seals.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';
import { listenToRun } from './listen-to-run.ts';
import { writeAll } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import { toFrame } from './sse-frame.ts';

type Sources = Parameters<typeof listenToRun>[0] & { readonly seals: Seals };

/** The part of a run's history that a stream gives. */
interface AskedEvents {
  readonly runId: string;
  /** The number of the last event that the reader knows. */
  readonly after: number;
  /** `tokens`: with what models say while they say it. */
  readonly detail: 'events' | 'tokens';
  readonly caller: Caller;
}

/**
 * Writes the events of a run as they are stored, from history on: each once, in order, as the caller may see them. It
 * listens before it reads, so none is lost between. It returns after the last event of a run that has ended; a run that
 * was reopened by then goes on. Deltas of models come between, without an id: a reader that comes back does not get those
 * that it has missed.
 */
export async function streamRun(sources: Sources, asked: AskedEvents, body: SseBody): Promise<void> {
  const { runId, after, detail, caller } = asked;
  const ear = await listenToRun(sources, { runId, detail });
  try {
    for await (const { deltas, events, look, isUpToDate } of ear.hear(after, [body.over])) {
      const hidden = hiddenFrom(caller, look);
      await writeAll(body, shownDeltas(deltas, hidden), toDeltaFrame);
      await writeAll(body, events, frameFor(hidden, sources.seals));
      if (isUpToDate && isEnded(look.status)) return;
    }
  } finally {
    ear.close();
  }
}

/** Leaves out what is hidden from the reader. */
function shownDeltas(deltas: readonly ModelDelta[], hidden: Redaction): readonly ModelDelta[] {
  return deltas.filter((delta) => hideDelta(delta, hidden) === delta);
}

function toDeltaFrame(delta: ModelDelta): string {
  return toFrame({ type: 'model.delta', data: delta });
}

function frameFor(hidden: Redaction, seals: Seals): (event: RunEvent) => string {
  return (event) => toFrame({ id: String(event.seq), type: event.type, data: shownEvent(event, hidden, seals) });
}

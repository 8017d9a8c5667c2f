import type { RunEvent, RunEventBody } from '../journal/events.ts';
import type { NodePath } from '../run/ids.ts';
import type { RecordedBody } from '../run/occurrence.ts';
import type { Draft } from './draft.ts';
import { countEvent } from './load.ts';

/** An event's superstep and the ids of the enclosing nodes. */
export interface EventPlace {
  readonly step: number;
  readonly path: NodePath;
}

/** Records an event with its number, time and location. */
export function emit(draft: Draft, { step, path }: EventPlace, body: RunEventBody): RunEvent {
  const numbered = { seq: draft.increment('seq'), at: draft.timestamp, step };
  const event: RunEvent = Object.assign(numbered, path.length > 0 ? { path } : null, body);
  draft.events.push(event);
  countEvent(draft, body);
  return event;
}

/** Records an event of the run's own graph. */
export function emitOfRun(draft: Draft, body: RunEventBody): void {
  emit(draft, { step: draft.run.root.step, path: [] }, body);
}

/** Records a processed occurrence, before the events that it causes: the run has heard from outside. */
export function recordOccurrence(draft: Draft, body: RecordedBody): void {
  draft.work.hearFromOutside();
  const number = draft.increment('occurrence');
  draft.occurrences.push({ ...body, number, seq: draft.run.counters.seq, at: draft.now });
}

import { hasRoomFor } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { emitOfRun, tasksOfRun } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { approximateBytes } from '../run/held-bytes.ts';
import type { BufferedEvent } from '../run/run.ts';
import { deliverInput } from '../superstep/deliver.ts';
import { acceptSignal, refuseSignal, textField } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** The maximum number of events buffered for future `wait` nodes. */
const MAX_BUFFERED_EVENTS = 100;

/** Delivers an event to `wait` nodes, or buffers it for later ones. */
export const eventSignal: SignalKind = {
  description: 'An event for a wait node, now or later: {"event", "payload"?}',
  properties: { event: { type: 'string', minLength: 1, maxLength: 255 }, payload: true },
  handle(draft, { payload: given, by }) {
    const name = textField(given, 'event');
    if (name === undefined)
      return refuseSignal({
        code: 'MALFORMED',
        message: '/: event is missing',
        issues: [{ path: '/event', message: 'The name of the event is missing' }],
      });
    const payload = given['payload'] ?? null;
    const waiting = tasksOfRun(draft).find((handle) => waitsForEvent(handle, name));
    if (!waiting && draft.run.bufferedEvents.length >= MAX_BUFFERED_EVENTS)
      return refuseSignal({
        code: 'BUFFER_FULL',
        message: `${MAX_BUFFERED_EVENTS} events are buffered already, and no node waits for "${name}"`,
      });
    const buffered = { name, payload };
    if (!waiting && !hasRoomFor(draft, approximateBytes(buffered)))
      return refuseSignal({ code: 'BUFFER_FULL', message: 'The run holds too much to buffer the event' });
    emitOfRun(draft, { type: 'signal.received', event: name, by: by.sub });
    if (waiting) deliverInput(waiting, { kind: 'event', payload });
    else bufferEvent(draft, buffered);
    return acceptSignal();
  },
};

function bufferEvent(draft: Draft, one: BufferedEvent): void {
  draft.bufferEvents([...draft.run.bufferedEvents, one]);
  draft.hold(approximateBytes(one));
}

function waitsForEvent({ frame, task: { state } }: TaskHandle, name: string): boolean {
  return !frame.isFailing && state.phase === 'open' && state.position.kind === 'wait' && state.position.event === name;
}

import type { OccurrenceBody, Principal } from '../graph/run/index.ts';
import { parseDelay } from './timeline.ts';
import type { Timeline } from './timeline.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';

/** An event that comes from outside. */
export interface TestEvent {
  readonly name: string;
  readonly payload?: Json | undefined;
  /**
   * The time since the start of the run, such as `1h`. By default the event arrives at the start, and is buffered for
   * the node that waits.
   */
  readonly after?: string | undefined;
}

/** A signal as the API sends it. */
export interface TestSignal {
  readonly signal: string;
  readonly payload?: JsonObject | undefined;
  /** The time since the start of the run, such as `1h`. */
  readonly after?: string | undefined;
  readonly by?: Principal | undefined;
}

/** The test's clock, which skips all waiting times. */
export interface Clock {
  /** RFC 3339; by default `2026-01-01T00:00:00Z`. */
  readonly start?: string | undefined;
  /** The least time that passes before the run is left waiting, such as `8d`. Timeouts before its end fire. */
  readonly until?: string | undefined;
}

/** A planned signal, with a flag that is set when it is sent. */
export interface PlannedSignal {
  /** The signal's name for messages. */
  readonly name: string;
  isSent: boolean;
}

interface OutsideOptions {
  readonly events?: readonly TestEvent[] | undefined;
  readonly signals?: readonly TestSignal[] | undefined;
  readonly clock?: Clock | undefined;
}

interface OutsidePlan {
  readonly options: OutsideOptions;
  /** The sender of signals that name none. */
  readonly by: Principal;
  /** Milliseconds since the epoch. */
  readonly start: number;
}

/** Plans the events and signals of a test and the end of its clock. */
export function planOutside(timeline: Timeline<OccurrenceBody>, outside: OutsidePlan): readonly PlannedSignal[] {
  const { options, by, start } = outside;
  const { events = [], signals = [], clock } = options;
  const sent: readonly TestSignal[] = [
    ...events.map(({ name, payload = null, ...when }) => ({
      signal: 'event',
      payload: { event: name, payload },
      ...when,
    })),
    ...signals,
  ];
  const planned = sent.map((signal): PlannedSignal => {
    const plan = { name: describeSignal(signal), isSent: false };
    timeline.plan(start + parseDelay(signal.after ?? '0s'), async () => {
      plan.isSent = true;
      return [toSignalOccurrence(signal, by)];
    });
    return plan;
  });
  if (clock?.until !== undefined) timeline.plan(start + parseDelay(clock.until), async () => []);
  return planned;
}

function toSignalOccurrence({ signal, payload = {}, by }: TestSignal, sender: Principal): OccurrenceBody {
  const { sub, roles } = by ?? sender;
  return { kind: 'signal', name: signal, payload: { ...payload, by: { sub, roles } } };
}

function describeSignal({ signal, payload, after }: TestSignal): string {
  const what = signal === 'event' ? `the event ${JSON.stringify(payload?.['event'])}` : `the signal "${signal}"`;
  return after === undefined ? what : `${what} after ${after}`;
}

import { CancellationScope, defineSignal, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { OccurrenceBody, SentSignal } from '../graph/run/index.ts';
import { toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { signals } from '../graph/signals/index.ts';
import { UPGRADE } from './contract.ts';
import { traceOfArriving } from './interceptors.ts';

/** Occurrences that the run has not processed yet, in order of arrival. */
export interface Inbox {
  push(occurrence: OccurrenceBody): void;
  take(): readonly OccurrenceBody[];
  isEmpty(): boolean;
  /** Returns the span in which a signal was sent; `null` if it is unknown. */
  traceOf(occurrence: OccurrenceBody): string | null;
  /** Resolves once the inbox is not empty. */
  arrival(): Promise<void>;
}

/**
 * Opens the inbox for signals, results, timers and cancellation. The default handler is set first, because it receives
 * buffered signals in order of arrival. The named handlers exist only for their descriptions in the Web UI.
 * @param queuedSignals signals that were sent before the workflow began
 */
export function openInbox(queuedSignals: readonly SentSignal[]): Inbox {
  let waiting: OccurrenceBody[] = queuedSignals.map((signal) => ({ kind: 'signal', ...signal }));
  let wake = (): void => undefined;
  const traces = new WeakMap<OccurrenceBody, string>();
  const inbox: Inbox = {
    push(occurrence) {
      waiting.push(occurrence);
      wake();
    },
    take() {
      const arrived = waiting;
      waiting = [];
      return arrived;
    },
    isEmpty: () => waiting.length === 0,
    traceOf: (occurrence) => traces.get(occurrence) ?? null,
    arrival: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (waiting.length > 0) resolve();
      }),
  };
  const receive = (name: string, payload: unknown): void => {
    const occurrence = { kind: 'signal', name, payload: payloadOrNone(payload) } as const;
    const trace = traceOfArriving();
    if (trace !== null) traces.set(occurrence, trace);
    inbox.push(occurrence);
  };
  setDefaultSignalHandler((name, ...args) => receive(name, args[0]));
  for (const [name, { description }] of signals) {
    const signal = defineSignal<[unknown?]>(name);
    setHandler(signal, (payload) => receive(name, payload), { description });
  }
  setHandler(defineSignal(UPGRADE), () => inbox.push({ kind: 'signal', name: UPGRADE, payload: undefined }), {
    description: 'Continue under the current worker version, once no call is open',
  });
  CancellationScope.current().cancelRequested.catch(() => inbox.push({ kind: 'cancel.requested' }));
  return inbox;
}

/** A signal handler must not throw, so a payload that is not JSON becomes a text, which the schema of the signal rejects. */
function payloadOrNone(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  try {
    return toJson(value);
  } catch {
    return 'a payload that is no JSON';
  }
}

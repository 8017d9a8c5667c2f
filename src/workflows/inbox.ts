import { CancellationScope, defineSignal, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { OccurrenceBody, SentSignal } from '../graph/run/index.ts';
import { toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { signals } from '../graph/signals/index.ts';
import { UPGRADE } from './contract.ts';

/** Occurrences that the run has not handled yet, in order of arrival. */
export interface Inbox {
  push(occurrence: OccurrenceBody): void;
  take(): readonly OccurrenceBody[];
  isEmpty(): boolean;
  /** Resolves once the inbox is not empty. */
  arrival(): Promise<void>;
}

/**
 * Opens the one inbox for signals, results, timers and cancellation. The default handler comes first, as it receives
 * buffered signals in order of arrival; named ones follow only for their descriptions in the Web UI.
 * @param queuedSignals signals that were sent before the workflow began
 */
export function openInbox(queuedSignals: readonly SentSignal[]): Inbox {
  let waiting: OccurrenceBody[] = queuedSignals.map((signal) => ({ kind: 'signal', ...signal }));
  let wake = (): void => undefined;
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
    arrival: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (waiting.length > 0) resolve();
      }),
  };
  setDefaultSignalHandler((name, ...args) => inbox.push({ kind: 'signal', name, payload: payloadOf(args[0]) }));
  for (const [name, { description }] of signals) {
    const signal = defineSignal<[unknown?]>(name);
    setHandler(signal, (payload) => inbox.push({ kind: 'signal', name, payload: payloadOf(payload) }), { description });
  }
  setHandler(defineSignal(UPGRADE), () => inbox.push({ kind: 'signal', name: UPGRADE, payload: undefined }), {
    description: 'Continue under the current worker version, once no call is open',
  });
  CancellationScope.current().cancelRequested.catch(() => inbox.push({ kind: 'cancel.requested' }));
  return inbox;
}

/** A signal handler must never throw, so a payload that is not JSON becomes a text that its schema rejects. */
function payloadOf(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  try {
    return toJson(value);
  } catch {
    return 'a payload that is no JSON';
  }
}

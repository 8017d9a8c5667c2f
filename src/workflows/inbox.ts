import { CancellationScope, defineSignal, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { OccurrenceBody, SentSignal } from '../graph/run/index.ts';
import { toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { signals } from '../graph/signals/index.ts';
import { UPGRADE } from './contract.ts';

/** What has happened to a run and has not been taken in yet, in the order in which it came. */
export interface Inbox {
  push(occurrence: OccurrenceBody): void;
  take(): readonly OccurrenceBody[];
  isEmpty(): boolean;
  /** Waits until there is something to take. */
  arrival(): Promise<void>;
}

/**
 * Opens the one inbox that signals, results, timers and cancellation all go into. The default handler comes first:
 * setting it hands over what was buffered in the order of arrival, while named handlers would take their own first.
 * They follow for their descriptions, which the Temporal Web UI shows.
 * @param queuedSignals came before the workflow was there
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
      const taken = waiting;
      waiting = [];
      return taken;
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
    description: 'Go on under the worker version that is current, once no call is out',
  });
  CancellationScope.current().cancelRequested.catch(() => inbox.push({ kind: 'cancel.requested' }));
  return inbox;
}

/** A handler must never throw; what is no JSON shows as malformed when it is looked at. */
function payloadOf(given: unknown): Json | undefined {
  if (given === undefined) return undefined;
  try {
    return toJson(given);
  } catch {
    return 'a payload that is no JSON';
  }
}

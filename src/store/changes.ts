import statement from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { isRunStatus } from '../graph/run/index.ts';
import type { RunStatus } from '../graph/run/index.ts';
import { isNumber, isObjectOf, isText } from '../graph/values/index.ts';
import type { Listen, Listening } from './database/listen.ts';

/** A journal batch of a run was written, by this process or another one. */
export interface RunChange {
  readonly tenantId: string;
  readonly runId: string;
  /** The `seq` of the last event of the batch. */
  readonly seq: number;
  /** The run's status after that event. Batches may be announced in any order. */
  readonly status: RunStatus;
}

/** @param change the announced change; `null` when changes may have been missed */
export type ChangeListener = (change: RunChange | null) => void;

/**
 * Notifies subscribers of changes of runs. Notifications may be lost while the database is unavailable, so subscribers
 * must also poll.
 */
export interface Changes {
  /** Subscribes to the future changes of a run. @returns a function that unsubscribes */
  subscribe(runId: string, listener: ChangeListener): () => void;
  /** Subscribes to the changes of all runs of a tenant. @returns a function that unsubscribes */
  subscribeTenant(tenantId: string, listener: ChangeListener): () => void;
}

/** The notification channel of the database for changes. */
export const CHANNEL = 'holdfast_runs';

/** Creates a source of changes. It listens to the database from the first subscription on. */
export function createChanges(listen: Listen): Changes & Listening {
  const ofRuns = createListeners<RunChange | null>();
  const ofTenants = createListeners<RunChange | null>();
  let listening: Listening | null = null;
  const receiver = {
    received(payload: string): void {
      const change = parseChange(payload);
      ofRuns.notify(change?.runId ?? '', change);
      ofTenants.notify(change?.tenantId ?? '', change);
    },
    opened(): void {
      ofRuns.notifyAll(null);
      ofTenants.notifyAll(null);
    },
  };
  const subscribeTo = (listeners: Listeners<RunChange | null>) => (id: string, listener: ChangeListener) => {
    listening ??= listen(CHANNEL, receiver);
    return listeners.add(id, listener);
  };
  return {
    subscribe: subscribeTo(ofRuns),
    subscribeTenant: subscribeTo(ofTenants),
    close: async () => await listening?.close(),
  };
}

/** @returns `null` for a payload that no journal has sent */
function parseChange(payload: string): RunChange | null {
  try {
    const change: unknown = JSON.parse(payload);
    return isChange(change) ? change : null;
  } catch {
    return null;
  }
}

const isChange = isObjectOf<RunChange>({ tenantId: isText, runId: isText, seq: isNumber, status: isRunStatus });

/** Builds an expression that notifies all processes of a change when the transaction is committed. @internal */
export function announceChange(change: RunChange): Sql {
  return statement`pg_notify(${CHANNEL}, ${JSON.stringify(change)})`;
}

type Listener<T> = (value: T) => void;

/** Listeners by the id of the subject that they listen to. */
export interface Listeners<T> {
  /** @returns a function that removes the listener */
  add(id: string, listener: Listener<T>): () => void;
  notify(id: string, value: T): void;
  /** Calls the listeners of all ids. */
  notifyAll(value: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const all = new Map<string, Set<Listener<T>>>();
  return {
    add(id, listener) {
      const ofId = all.get(id) ?? new Set();
      all.set(id, ofId.add(listener));
      return () => {
        ofId.delete(listener);
        if (ofId.size === 0 && all.get(id) === ofId) all.delete(id);
      };
    },
    notify(id, value) {
      for (const listener of all.get(id) ?? []) listener(value);
    },
    notifyAll(value) {
      for (const ofId of all.values()) for (const listener of ofId) listener(value);
    },
  };
}

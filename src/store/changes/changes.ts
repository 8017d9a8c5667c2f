import type { RunStatus } from '../../graph/run/index.ts';
import type { Listen, Listening } from '../database/listen.ts';

/** A batch of a run's journal has been written, in this process or in another one. */
export interface RunChange {
  readonly tenantId: string;
  readonly runId: string;
  /** The last event of the batch. */
  readonly seq: number;
  /** The run's status after that event. Batches may come in any order. */
  readonly status: RunStatus;
}

/** @param change `null`: changes may have been missed */
export type ChangeListener = (change: RunChange | null) => void;

/** Tells what happens to runs. A change may be missed while the database is away: it is no substitute for looking. */
export interface Changes {
  /** Tells a listener of the next changes of a run. @returns a function that ends that */
  subscribe(runId: string, listener: ChangeListener): () => void;
  /** As `subscribe`, for all runs of a tenant. */
  subscribeTenant(tenantId: string, listener: ChangeListener): () => void;
}

/** The channel of the database on which changes are announced. */
export const CHANNEL = 'holdfast_runs';

/** Listens to the database from the first subscription on. */
export function createChanges(listen: Listen): Changes & Listening {
  const ofRuns = createListeners();
  const ofTenants = createListeners();
  let listening: Listening | null = null;
  const ears = {
    heard(payload: string): void {
      const change = parseChange(payload);
      ofRuns.tell(change?.runId ?? '', change);
      ofTenants.tell(change?.tenantId ?? '', change);
    },
    opened(): void {
      ofRuns.tellAll();
      ofTenants.tellAll();
    },
  };
  const subscribeTo = (listeners: Listeners) => (id: string, listener: ChangeListener) => {
    listening ??= listen(CHANNEL, ears);
    return listeners.add(id, listener);
  };
  return {
    subscribe: subscribeTo(ofRuns),
    subscribeTenant: subscribeTo(ofTenants),
    close: async () => await listening?.close(),
  };
}

/** Listeners to things of one kind, by the ids of these. */
interface Listeners {
  /** @returns a function that removes the listener */
  add(id: string, listener: ChangeListener): () => void;
  tell(id: string, change: RunChange | null): void;
  /** Tells all that changes may have been missed. */
  tellAll(): void;
}

function createListeners(): Listeners {
  const all = new Map<string, Set<ChangeListener>>();
  return {
    add(id, listener) {
      const ofId = all.get(id) ?? new Set();
      all.set(id, ofId.add(listener));
      return () => {
        ofId.delete(listener);
        if (ofId.size === 0 && all.get(id) === ofId) all.delete(id);
      };
    },
    tell(id, change) {
      for (const listener of all.get(id) ?? []) listener(change);
    },
    tellAll() {
      for (const ofId of all.values()) for (const listener of ofId) listener(null);
    },
  };
}

/** @returns `null` for what no journal has announced */
function parseChange(payload: string): RunChange | null {
  try {
    const change: unknown = JSON.parse(payload);
    return isChange(change) ? change : null;
  } catch {
    return null;
  }
}

function isChange(value: unknown): value is RunChange {
  return typeof value === 'object' && value !== null && 'runId' in value && 'status' in value;
}

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
}

/** The channel of the database on which changes are announced. */
export const CHANNEL = 'holdfast_runs';

/** Listens to the database from the first subscription on. */
export function createChanges(listen: Listen): Changes & Listening {
  const listeners = new Map<string, Set<ChangeListener>>();
  let listening: Listening | null = null;
  const ears = {
    heard(payload: string): void {
      const change = parseChange(payload);
      for (const tell of listeners.get(change?.runId ?? '') ?? []) tell(change);
    },
    opened(): void {
      for (const ofRun of listeners.values()) for (const tell of ofRun) tell(null);
    },
  };
  return {
    subscribe(runId, listener) {
      listening ??= listen(CHANNEL, ears);
      const ofRun = listeners.get(runId) ?? new Set();
      listeners.set(runId, ofRun.add(listener));
      return () => {
        ofRun.delete(listener);
        if (ofRun.size === 0 && listeners.get(runId) === ofRun) listeners.delete(runId);
      };
    },
    close: async () => await listening?.close(),
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

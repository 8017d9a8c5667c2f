import type { RunStatus } from '../../graph/run/index.ts';
import type { Listen, Listening } from '../database/listen.ts';
import { createListeners } from './listeners.ts';
import type { Listeners } from './listeners.ts';

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
  const ofRuns = createListeners<RunChange | null>();
  const ofTenants = createListeners<RunChange | null>();
  let listening: Listening | null = null;
  const ears = {
    heard(payload: string): void {
      const change = parseChange(payload);
      ofRuns.tell(change?.runId ?? '', change);
      ofTenants.tell(change?.tenantId ?? '', change);
    },
    opened(): void {
      ofRuns.tellAll(null);
      ofTenants.tellAll(null);
    },
  };
  const subscribeTo = (listeners: Listeners<RunChange | null>) => (id: string, listener: ChangeListener) => {
    listening ??= listen(CHANNEL, ears);
    return listeners.add(id, listener);
  };
  return {
    subscribe: subscribeTo(ofRuns),
    subscribeTenant: subscribeTo(ofTenants),
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

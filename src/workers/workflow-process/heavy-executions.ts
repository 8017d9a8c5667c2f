/** The cost of a task of an execution. */
export interface TaskCost {
  /** The size of its answer in bytes. */
  readonly bytes: number;
  /** The processor time in milliseconds. */
  readonly workedMs: number;
}

/**
 * Tracks which executions are so heavy that others wait for them. They share a process of their own; an execution that
 * becomes heavy is replayed there.
 */
export interface HeavyExecutions {
  /** Adds the size of an activation in bytes. */
  addActivation(executionRunId: string, bytes: number): void;
  addTask(executionRunId: string, task: TaskCost): void;
  isHeavy(executionRunId: string): boolean;
  /** Forgets an evicted execution, unless it has just become heavy and will return. */
  evict(executionRunId: string, wasHeavy: boolean): void;
}

/** Executions with more bytes in all their tasks are heavy: encoding as many takes a tenth of a second. */
const HEAVY_BYTES = 8 * 1_048_576;
/** Executions with a task that takes more processor time are heavy, too. */
const HEAVY_MS = 500;

export function createHeavyExecutions(): HeavyExecutions {
  const bytesOf = new Map<string, number>();
  const heavy = new Set<string>();
  const add = (executionRunId: string, bytes: number): void => {
    const sum = (bytesOf.get(executionRunId) ?? 0) + bytes;
    bytesOf.set(executionRunId, sum);
    if (sum > HEAVY_BYTES) heavy.add(executionRunId);
  };
  return {
    addActivation: add,
    addTask(executionRunId, { bytes, workedMs }) {
      add(executionRunId, bytes);
      if (workedMs > HEAVY_MS) heavy.add(executionRunId);
    },
    isHeavy: (executionRunId) => heavy.has(executionRunId),
    evict(executionRunId, wasHeavy) {
      bytesOf.delete(executionRunId);
      if (wasHeavy) heavy.delete(executionRunId);
    },
  };
}

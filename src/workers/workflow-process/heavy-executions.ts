/** What a task of an execution has taken. */
export interface TaskWeight {
  /** Of its answer. */
  readonly bytes: number;
  /** Processor time. */
  readonly workedMs: number;
}

/**
 * Knows which executions keep others waiting. They have a process of their own; one that becomes heavy is played again in
 * it.
 */
export interface HeavyExecutions {
  /** @param bytes of what a task brings it */
  brings(executionRunId: string, bytes: number): void;
  observe(executionRunId: string, task: TaskWeight): void;
  isHeavy(executionRunId: string): boolean;
  /** Forgets an execution that has left the memory, unless it has become heavy and comes back. */
  leaves(executionRunId: string, wasHeavy: boolean): void;
}

/** Executions that bring or take more in all their tasks are heavy: to encode so much takes a tenth of a second. */
const HEAVY_BYTES = 8 * 1_048_576;
/** So is an execution one task of which works longer. */
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
    brings: add,
    observe(executionRunId, { bytes, workedMs }) {
      add(executionRunId, bytes);
      if (workedMs > HEAVY_MS) heavy.add(executionRunId);
    },
    isHeavy: (executionRunId) => heavy.has(executionRunId),
    leaves(executionRunId, wasHeavy) {
      bytesOf.delete(executionRunId);
      if (wasHeavy) heavy.delete(executionRunId);
    },
  };
}

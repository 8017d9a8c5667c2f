import type { Json, JsonObject } from '../../graph/values/index.ts';

/** The parts of a run that expectations are about. */
export interface ObservedRun {
  readonly status: string;
  readonly path: readonly string[];
  readonly output: Json;
  readonly state: JsonObject;
  /** The tools that were called, in order. */
  readonly tools: readonly string[];
  readonly spent: Spending;
  /** Its id on a server; `null` in memory. */
  readonly id: string | null;
  /** Why the run failed; `null` if it did not. */
  readonly error: string | null;
}

/** What a run took. */
export interface Spending {
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** From its start to its end; in memory, by the clock of the test. */
  readonly latencyMs: number;
}

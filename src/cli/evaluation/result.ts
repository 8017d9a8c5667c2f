import type { PassRate } from '../../testing/evaluation/index.ts';

/** The result of one recorded run, or of one line of a data set. */
export interface EvaluationResult {
  readonly file: string;
  /** The name of the case, or of the graph of a recorded run. */
  readonly name: string;
  /** One line for each deviation; an empty list means that the subject passed. */
  readonly failures: readonly string[];
  readonly durationMs: number;
  /** The pass rate of several live trials; `null` for a single run. */
  readonly rate: PassRate | null;
}

export function hasPassed({ failures }: Pick<EvaluationResult, 'failures'>): boolean {
  return failures.length === 0;
}

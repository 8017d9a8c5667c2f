import type { PassRate } from '../../testing/evaluation/index.ts';

/** What became of one recorded run, or of one line of a data set. */
export interface EvaluationResult {
  readonly file: string;
  /** The name of the case; of a recorded run that of its graph. */
  readonly name: string;
  /** One line for each thing that is not as expected; none: it has passed. */
  readonly failures: readonly string[];
  readonly durationMs: number;
  /** Of several live trials; `null` of a single run. */
  readonly rate: PassRate | null;
}

export function hasPassed({ failures }: Pick<EvaluationResult, 'failures'>): boolean {
  return failures.length === 0;
}

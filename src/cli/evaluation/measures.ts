import type { PassRate, Verdict } from '../../testing/evaluation/index.ts';
import type { Trial } from './trials.ts';

/** The result of one recorded run, or of one line of a data set. */
export interface EvaluationResult {
  readonly file: string;
  /** The name of the case, or of the graph of a recorded run. */
  readonly name: string;
  /** One line for each deviation; an empty list means that the subject passed. */
  readonly failures: readonly string[];
  /** What a reader should know besides, such as a recorded decision that was not played. */
  readonly notes: readonly string[];
  readonly durationMs: number;
  /** The pass rate of several live trials; `null` for a single run. */
  readonly rate: PassRate | null;
  /** Scores, cost and latency; `null` for a recorded run in memory. */
  readonly measures: Measures | null;
}

export function hasNoFailures({ failures }: Pick<EvaluationResult, 'failures'>): boolean {
  return failures.length === 0;
}

/** What several trials took, beside their quality. */
export interface Measures {
  /** The sum over all runs; without the judges. */
  readonly costUsd: number;
  readonly tokens: number;
  /** The median over all runs; in memory, by the clock of the test. */
  readonly latencyMs: number;
  /** The calls of all judges. */
  readonly judging: { readonly costUsd: number; readonly tokens: number };
  /** The mean score of each judge that gave one. */
  readonly scores: readonly MeanScore[];
}

/** The mean of a judge's scores. */
export interface MeanScore extends Pick<Verdict, 'judge' | 'scale'> {
  readonly mean: number;
  readonly verdicts: number;
}

export function measureTrials(trials: readonly Trial[]): Measures {
  const verdicts = trials.flatMap((trial) => trial.verdicts);
  return {
    costUsd: sumOf(trials.map(({ spent }) => spent.costUsd)),
    tokens: sumOf(trials.map(({ spent }) => spent.inputTokens + spent.outputTokens)),
    latencyMs: medianOf(trials.map(({ spent }) => spent.latencyMs)),
    judging: {
      costUsd: sumOf(verdicts.map(({ spent }) => spent.costUsd)),
      tokens: sumOf(verdicts.map(({ spent }) => spent.inputTokens + spent.outputTokens)),
    },
    scores: meanScores(verdicts),
  };
}

function meanScores(verdicts: readonly Verdict[]): readonly MeanScore[] {
  return [...new Set(verdicts.map(({ judge }) => judge))].flatMap((judge) => {
    const scored = verdicts.filter((verdict) => verdict.judge === judge && verdict.score !== null);
    const [first] = scored;
    if (!first) return [];
    const mean = sumOf(scored.map(({ score }) => score ?? 0)) / scored.length;
    return [{ judge, scale: first.scale, mean, verdicts: scored.length }];
  });
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** @returns 0 for no numbers */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = 0, high = low] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

/** Formats a pass rate, such as `4 of 5, 80% [38%, 96%]`. */
export function describeRate({ passed, trials, low, high }: PassRate): string {
  const percent = (rate: number): string => `${Math.round(rate * 100)}%`;
  return `${passed} of ${trials}, ${percent(passed / trials)} [${percent(low)}, ${percent(high)}]`;
}

/** @returns such as `0.0123 USD, 1234 tokens, 1.20 s` */
export function describeMeasures({
  costUsd,
  tokens,
  latencyMs,
}: Pick<Measures, 'costUsd' | 'tokens' | 'latencyMs'>): string {
  return `${formatUsd(costUsd)} USD, ${tokens} tokens, ${(latencyMs / 1000).toFixed(2)} s`;
}

/** @returns such as `the judge "polite": 4.50 of 1 to 5` */
export function describeScore({ judge, scale, mean }: MeanScore): string {
  return `the judge "${judge}": ${mean.toFixed(2)} of ${scale.join(' to ')}`;
}

export function formatUsd(usd: number): string {
  return String(Number(usd.toFixed(6)));
}

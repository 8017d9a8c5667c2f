import { passRate } from '../../testing/evaluation/index.ts';
import type { PassRate } from '../../testing/evaluation/index.ts';
import { describeMeasures, describeRate, hasNoFailures, medianOf, sumOf } from './measures.ts';
import type { EvaluationResult } from './measures.ts';

/** Two versions of a graph over the same cases. */
export interface Comparison {
  readonly graph: Version;
  readonly against: Version;
  /** The cases in which the graph is better, worse, and neither. */
  readonly better: readonly string[];
  readonly worse: readonly string[];
  readonly same: readonly string[];
  /** The share of better cases among those that differ; `null` if none differs. */
  readonly rate: PassRate | null;
}

/** A version of a graph, with its quality, cost and latency. */
export interface Version {
  readonly file: string;
  readonly passed: number;
  readonly cases: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** The median over the cases. */
  readonly latencyMs: number;
}

/** The results of one version. */
export interface VersionResults {
  readonly file: string;
  readonly results: readonly EvaluationResult[];
}

/**
 * Compares two versions case by case. The one that passes more trials is better, else the one with the higher scores;
 * cost and latency decide nothing.
 */
export function compareVersions(graph: VersionResults, against: VersionResults): Comparison {
  const pairs = graph.results.map((result, at) => ({ name: result.name, ahead: leadOf(result, against.results[at]) }));
  const names = (fits: (ahead: number) => boolean) => pairs.filter(({ ahead }) => fits(ahead)).map(({ name }) => name);
  const [better, worse] = [names((ahead) => ahead > 0), names((ahead) => ahead < 0)];
  const decided = better.length + worse.length;
  return {
    graph: toVersion(graph),
    against: toVersion(against),
    better,
    worse,
    same: names((ahead) => ahead === 0),
    rate: decided === 0 ? null : passRate(better.length, decided),
  };
}

/** @returns more than 0 if the first result is better */
function leadOf(one: EvaluationResult, other: EvaluationResult | undefined): number {
  if (!other) return 0;
  const byRate = shareOf(one) - shareOf(other);
  return byRate === 0 ? meanShare(one) - meanShare(other) : byRate;
}

function shareOf({ rate, failures }: EvaluationResult): number {
  return rate ? rate.passed / rate.trials : Number(failures.length === 0);
}

/** The mean of the scores, each as a share of its scale; 0 without scores. */
function meanShare({ measures }: EvaluationResult): number {
  const shares = (measures?.scores ?? []).map(({ mean, scale: [low, high] }) => (mean - low) / (high - low));
  return shares.length === 0 ? 0 : sumOf(shares) / shares.length;
}

function toVersion({ file, results }: VersionResults): Version {
  const measured = results.flatMap(({ measures }) => measures ?? []);
  return {
    file,
    passed: results.filter(hasNoFailures).length,
    cases: results.length,
    costUsd: sumOf(measured.map(({ costUsd }) => costUsd)),
    tokens: sumOf(measured.map(({ tokens }) => tokens)),
    latencyMs: medianOf(measured.map(({ latencyMs }) => latencyMs)),
  };
}

/** Formats a comparison as lines of text. */
export function describeComparison({ graph, against, better, worse, same, rate }: Comparison): readonly string[] {
  const named = (what: string, cases: readonly string[]) =>
    cases.length === 0 ? [] : [`    ${what}: ${cases.join(', ')}`];
  const counts = `${better.length} better, ${worse.length} worse, ${same.length} the same`;
  return [
    `${graph.file} against ${against.file}: ${counts}${rate ? `; better in ${describeRate(rate)} of those that differ` : ''}`,
    ...named('better', better),
    ...named('worse', worse),
    ...[graph, against].map(
      (version) =>
        `    ${version.file}: ${version.passed} of ${version.cases} passed, ${describeMeasures(version)} (median)`,
    ),
  ];
}

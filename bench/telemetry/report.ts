import { toTable, writeToPage } from '../support/page.ts';
import { medianInterval } from '../support/median-interval.ts';
import { median } from '../support/timed-run.ts';
import type { Load, Sample } from './sample.ts';
import { METRICS_EVERY_MS } from './variants.ts';

/** A sample of a variant, and one without telemetry right before or after. */
export interface Pair {
  readonly off: Sample;
  readonly on: Sample;
}

/** The pairs of a variant with a tool. */
export interface Line {
  readonly title: string;
  /** The effect of its calls: `keyed` or `idempotent`. */
  readonly terms: string;
  readonly pairs: readonly Pair[];
}

interface Reported extends Load {
  readonly rounds: number;
  readonly lines: readonly Line[];
}

/** Writes the table into the page on performance, in place of an earlier one. */
export async function writeTelemetry(reported: Reported): Promise<void> {
  await writeToPage('telemetry', toText(reported));
}

/** A table in Markdown with its explanation. */
export function toText({ rounds, runs, steps, lines }: Reported): string {
  const head = ['what', 'calls', 'a step, ms', 'times', 'processor, ms a step', 'times', 'bytes a step'];
  const body = lines.map(({ title, terms, pairs }) => [
    title,
    `\`${terms}\``,
    formatMedians(pairs, ({ ms }) => ms),
    showTimes(pairs.map(({ on, off }) => on.ms / off.ms)),
    formatMedians(pairs, ({ usedMs }) => usedMs),
    showTimes(pairs.map(({ on, off }) => (off.usedMs + on.ownMs - off.ownMs) / off.usedMs)),
    meanBytes(pairs).toFixed(0),
  ]);
  return [
    `Medians of ${rounds} pairs: ${runs} runs of ${steps} tool steps with it, and as many where nothing is sent or read, in turns. Both ` +
      'medians, and the median of the pairs’ ratios, in parentheses where it lies with a certainty of 95 %. The ratio of the processor’s ' +
      'time is that of what Node and the database take more or less to all that is taken without it: Temporal’s server does the same ' +
      `in both, and differs by more than what is looked for. Metrics are sent and read every ${METRICS_EVERY_MS / 1_000} s.`,
    toTable([head, ...body]),
  ].join('\n\n');
}

/** If few runs have spans, most samples have none. */
function meanBytes(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { on }) => sum + on.bytes, 0) / pairs.length;
}

type Measure = (sample: Sample) => number;

function formatMedians(pairs: readonly Pair[], of: Measure): string {
  const medianOf = (side: keyof Pair): string => median(pairs.map((pair) => of(pair[side]))).toFixed(1);
  return `${medianOf('on')} beside ${medianOf('off')}`;
}

function showTimes(ratios: readonly number[]): string {
  const [least, most] = medianInterval(ratios);
  return `${median(ratios).toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
}

import { toTable, writeToPage } from '../support/page.ts';
import type { Measurements, Summary } from './measurements.ts';
import type { Row } from './rows/row.ts';

/** A program that takes fewer milliseconds per step is omitted, such as one that was needed only at the start. */
const SMALLEST_PRINTED = 0.05;

/** The content of the report, in order. */
interface Reported {
  readonly rows: readonly Row[];
  readonly peers: readonly string[];
  readonly rounds: number;
}

/** Writes the tables into the page on performance, in place of earlier ones. */
export async function writeReport(reported: Reported, measurements: Measurements): Promise<void> {
  await writeToPage('peers', toTables(reported, measurements));
}

/** The peer with which the others are compared. */
const BASE = 'temporal';

/**
 * Three tables in Markdown: times, with the range of the rounds' medians; ratios to plain Temporal; the processor time
 * of a step, or of a run of pure steps.
 */
export function toTables({ rows, peers, rounds }: Reported, measurements: Measurements): string {
  const cells = (row: Row, format: (summary: Summary) => string): readonly string[] =>
    peers.map((peer) => {
      const summary = measurements.of(row, peer);
      return summary ? format(summary) : '';
    });
  const times = peers.map((peer, at) => [`\`${peer}\``, ...rows.map((row) => cells(row, showTime)[at] ?? '')]);
  const ratios = peers.map((peer) => [
    `\`${peer}\``,
    ...rows.map((row) => showRatio(measurements.ratio(row, peer, BASE))),
  ]);
  const withShares = rows.filter(({ shares }) => shares !== null);
  const used = peers.map((peer, at) => [
    `\`${peer}\``,
    ...withShares.map((row) => cells(row, formatProcessorTime)[at] ?? ''),
  ]);
  return [
    `Medians of ${rounds} rounds, in which all peers take turns; in parentheses the least and the most of a round's median.`,
    toTable([['', ...rows.map(({ title }) => title)], ...times]),
    `Each as a multiple of what \`${BASE}\` has in the same round, the median of the rounds.`,
    toTable([['', ...rows.map(({ name }) => name)], ...ratios]),
    'The processor’s time in all processes of a peer, in ms, of a step, and of a whole run in `pure-steps`: the sum, and what it consists of.',
    toTable([['', ...withShares.map(({ name }) => name)], ...used]),
  ].join('\n\n');
}

function showTime({ median, least, most }: Summary): string {
  return `${formatNumber(median)} (${formatNumber(least)}–${formatNumber(most)})`;
}

function showRatio(ratio: number | null): string {
  return ratio === null ? '' : ratio.toFixed(2);
}

function formatProcessorTime({ usedPerShare }: Summary): string {
  const parts = Object.entries(usedPerShare)
    .filter(([, ms]) => ms >= SMALLEST_PRINTED)
    .map(([program, ms]) => `${program} ${formatNumber(ms)}`);
  const sum = Object.values(usedPerShare).reduce((total, ms) => total + ms, 0);
  return `${formatNumber(sum)}: ${parts.join(', ')}`;
}

function formatNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

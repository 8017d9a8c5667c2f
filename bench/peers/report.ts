import { readFile, writeFile } from 'node:fs/promises';
import type { Measurements, Summary } from './measurements.ts';
import type { Row } from './rows/row.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- peers: written by npm run bench:peers -->';
const END = '<!-- /peers -->';

/** A program that takes less milliseconds of a step is not named; such as one that was needed at the start only. */
const LEAST_SHOWN = 0.05;

/** What is reported, in its order. */
interface Reported {
  readonly rows: readonly Row[];
  readonly peers: readonly string[];
  readonly rounds: number;
}

/** Puts the tables into the page on performance, in place of those before. */
export async function writeReport(reported: Reported, measurements: Measurements): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`There is no place for the tables in ${PAGE.pathname}`);
  const tables = toTables(reported, measurements);
  await writeFile(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${page.slice(end)}`);
}

/** Two tables in Markdown: times, with the least and the most of the rounds' medians; the processor's time of a step. */
export function toTables({ rows, peers, rounds }: Reported, measurements: Measurements): string {
  const cells = (row: Row, show: (summary: Summary) => string): readonly string[] =>
    peers.map((peer) => {
      const summary = measurements.of(row, peer);
      return summary ? show(summary) : '';
    });
  const times = peers.map((peer, at) => [`\`${peer}\``, ...rows.map((row) => cells(row, showTime)[at] ?? '')]);
  const withSteps = rows.filter(({ steps }) => steps !== null);
  const used = peers.map((peer, at) => [`\`${peer}\``, ...withSteps.map((row) => cells(row, showUsed)[at] ?? '')]);
  return [
    `Medians of ${rounds} rounds, in which all peers take turns; in parentheses the least and the most of a round's median.`,
    toTable([['', ...rows.map(({ title }) => title)], ...times]),
    'The processor’s time of a step in all processes of a peer, in ms: the sum, and what it consists of.',
    toTable([['', ...withSteps.map(({ name }) => name)], ...used]),
  ].join('\n\n');
}

function showTime({ median, least, most }: Summary): string {
  return `${show(median)} (${show(least)}–${show(most)})`;
}

function showUsed({ usedPerStep }: Summary): string {
  const parts = Object.entries(usedPerStep)
    .filter(([, ms]) => ms >= LEAST_SHOWN)
    .map(([program, ms]) => `${program} ${show(ms)}`);
  const sum = Object.values(usedPerStep).reduce((total, ms) => total + ms, 0);
  return `${show(sum)}: ${parts.join(', ')}`;
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function toTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(3, ...lines.map((line) => (line[at] ?? '').length)));
  const draw = (line: readonly string[]): string =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = lines;
  return [draw(head), draw(widths.map((width) => '-'.repeat(width))), ...body.map(draw)].join('\n');
}

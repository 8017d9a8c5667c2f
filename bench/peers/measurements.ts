import { median } from '../support/timed-run.ts';
import type { EchoTool } from './echo-tool.ts';
import type { Peer } from './peer.ts';
import { processorTimeOf, timeBetween } from './processor-time.ts';
import type { ProcessorTime } from './processor-time.ts';
import type { Row } from './rows/row.ts';

/** The values of one row for one peer in one round. */
interface Measurement {
  /** The values in the unit of the row. */
  readonly values: readonly number[];
  readonly used: ProcessorTime;
}

/** All measurements so far. */
export interface Measurements {
  add(row: Row, peer: Peer, measurement: Measurement): void;
  /** `null` without a measurement. */
  of(row: Row, peer: string): Summary | null;
  /**
   * The ratio of a peer's value to that of another peer: the median of the rounds' ratios, because a machine that is
   * slow for some rounds is slow for both. `null` if one of them was not measured.
   */
  ratio(row: Row, peer: string, base: string): number | null;
}

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Milliseconds per share, by program; empty in rows without shares. */
  readonly usedPerShare: ProcessorTime;
}

/** Measures a peer in one round of a row. */
export async function measure(row: Row, peer: Peer, tool: EchoTool): Promise<Measurement> {
  const before = await processorTimeOf(peer.processes);
  const values: number[] = [];
  for (let sample = 0; sample < row.samples; sample++) values.push(await row.measure(peer, tool));
  return { values, used: timeBetween(before, await processorTimeOf(peer.processes)) };
}

export function openMeasurements(): Measurements {
  const all = new Map<string, Measurement[]>();
  const keyOf = (row: Row, peer: string): string => `${row.name} ${peer}`;
  return {
    add(row, { name }, measurement) {
      all.set(keyOf(row, name), [...(all.get(keyOf(row, name)) ?? []), measurement]);
    },
    of(row, peer) {
      const found = all.get(keyOf(row, peer));
      return found ? summarize(row, found) : null;
    },
    ratio(row, peer, base) {
      const [above, below] = [peer, base].map((name) => mediansOf(all.get(keyOf(row, name)) ?? []));
      const ratios = above?.flatMap((value, round) => (below?.[round] === undefined ? [] : [value / below[round]]));
      return ratios === undefined || ratios.length === 0 ? null : median(ratios);
    },
  };
}

/** The medians by round. */
function mediansOf(measured: readonly Measurement[]): readonly number[] {
  return measured.map(({ values }) => median(values));
}

/** The spread is the range of the rounds' medians. */
function summarize({ samples, shares }: Row, measured: readonly Measurement[]): Summary {
  const medians = mediansOf(measured);
  const programs = [...new Set(measured.flatMap(({ used }) => Object.keys(used)))].sort();
  const perShare = (program: string): number =>
    median(measured.map(({ used }) => (used[program] ?? 0) / (samples * (shares ?? 1))));
  return {
    median: median(measured.flatMap(({ values }) => values)),
    least: Math.min(...medians),
    most: Math.max(...medians),
    usedPerShare: shares === null ? {} : Object.fromEntries(programs.map((program) => [program, perShare(program)])),
  };
}

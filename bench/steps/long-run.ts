import type { BenchEnvironment } from '../support/environment.ts';
import type { PrepareByHand } from '../support/by-hand.ts';
import type { PrepareRun } from '../support/on-holdfast.ts';
import { round, timeRun } from '../support/timed-run.ts';
import type { Start, TimedRun } from '../support/timed-run.ts';
import { loopOf } from './chains.ts';
import { sized } from '../support/size.ts';

const STEPS = sized(10_000, 20);
const SAMPLE = sized(500, 5);

interface MeasuredStarts {
  readonly prepareRun: PrepareRun;
  readonly prepareByHand: PrepareByHand;
}

/**
 * One run of 10,000 calls over several executions: the cost of a step at its end, compared with its beginning. The same
 * calls in hand-written workflows, before and after, show how much of the difference is due to servers that hold more
 * data.
 */
export async function measureLongRun(
  { client, calls }: BenchEnvironment,
  { prepareRun, prepareByHand }: MeasuredStarts,
): Promise<object> {
  const measure = async (start: Start): Promise<TimedRun & { readonly made: number; readonly gaps: CallGaps }> => {
    const before = calls.length;
    const run = await timeRun(client, start);
    const times = calls.slice(before);
    return { ...run, made: times.length, gaps: gapsOf(times) };
  };
  const before = await measure(prepareByHand('tool', SAMPLE));
  const { ms, historyEvents, made, gaps } = await measure(await prepareRun(loopOf('tool', STEPS)));
  const after = await measure(prepareByHand('tool', SAMPLE));
  return {
    chain: 'tool',
    steps: made,
    seconds: round(ms / 1_000, 1),
    eventsOfLastExecution: historyEvents,
    gapsMs: gaps.each,
    lateByEarly: gaps.lateByEarly,
    handwritten: {
      gapsMs: [...before.gaps.each, ...after.gaps.each],
      afterByBefore: round(after.gaps.mean / before.gaps.mean, 3),
    },
  };
}

interface CallGaps {
  /** The milliseconds of each sample. */
  readonly each: readonly number[];
  readonly mean: number;
  readonly lateByEarly: number;
}

function gapsOf(times: readonly number[]): CallGaps {
  const samples = Array.from({ length: Math.floor(times.length / SAMPLE) }, (_, at) =>
    meanGap(times.slice(at * SAMPLE, (at + 1) * SAMPLE)),
  );
  const lateByEarly = (samples.at(-1) ?? 0) / (samples[0] ?? 0);
  return { each: samples.map((gap) => round(gap, 2)), mean: meanGap(times), lateByEarly: round(lateByEarly, 3) };
}

function meanGap(times: readonly number[]): number {
  return ((times.at(-1) ?? 0) - (times.at(0) ?? 0)) / (times.length - 1);
}

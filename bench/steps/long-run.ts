import type { BenchEnvironment } from '../support/environment.ts';
import type { PrepareRun } from '../support/on-holdfast.ts';
import { round, timeRun } from '../support/timed-run.ts';
import { loopOf } from './chains.ts';

const STEPS = 10_000;
const SAMPLE = 500;

/** One run of 10,000 calls, in one execution after another: what a step costs at its end, by what it costs at first. */
export async function measureLongRun({ client, calls }: BenchEnvironment, prepareRun: PrepareRun): Promise<object> {
  const before = calls.length;
  const { ms, historyEvents } = await timeRun(client, await prepareRun(loopOf('tool', STEPS)));
  const times = calls.slice(before);
  const [first, last] = [meanGap(times.slice(0, SAMPLE)), meanGap(times.slice(-SAMPLE))];
  return {
    chain: 'tool',
    steps: times.length,
    seconds: round(ms / 1_000, 1),
    eventsOfLastExecution: historyEvents,
    firstGapMs: round(first, 2),
    lastGapMs: round(last, 2),
    lateByEarly: round(last / first, 3),
  };
}

function meanGap(times: readonly number[]): number {
  return ((times.at(-1) ?? 0) - (times.at(0) ?? 0)) / (times.length - 1);
}

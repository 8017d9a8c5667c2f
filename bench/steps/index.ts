import { openEnvironment } from '../support/environment.ts';
import { measureLangGraph, openSavers } from './langgraph.ts';
import { measureLongRun } from './long-run.ts';
import { measureFan, measureFlatness, measureLoop, measurePureSteps } from './pure-steps.ts';
import { byHand } from '../support/by-hand.ts';
import { onHoldfast } from '../support/on-holdfast.ts';
import { print, round, summarize, timeRun } from '../support/timed-run.ts';
import type { TimedRun } from '../support/timed-run.ts';
import { loopOf } from './chains.ts';
import type { ChainKind } from './chains.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of a step: `npm run bench:steps`. Prints one JSON object per line: the interpreter alone, the same chains on
 * LangGraph without and with its checkpointers, then loops on Holdfast next to the same loops written by hand for
 * Temporal, in alternation, as medians of all rounds; and the cost of a step at the end of a long run.
 */

interface Case {
  readonly chain: ChainKind;
  readonly steps: number;
  readonly rounds: number;
}

const CASES = sized<readonly Case[]>(
  [
    { chain: 'pure', steps: 10, rounds: 15 },
    { chain: 'pure', steps: 100, rounds: 15 },
    { chain: 'pure', steps: 1_000, rounds: 15 },
    { chain: 'tool', steps: 10, rounds: 15 },
    { chain: 'tool', steps: 100, rounds: 9 },
  ],
  [
    { chain: 'pure', steps: 2, rounds: 1 },
    { chain: 'tool', steps: 2, rounds: 1 },
  ],
);

const LENGTHS = sized([10, 100, 1_000, 10_000], [10]);
const LANGGRAPH_LENGTHS = sized([10, 100, 1_000], [2]);

const environment = await openEnvironment();
try {
  for (const steps of LENGTHS) print(measurePureSteps(steps));
  for (const steps of LENGTHS) print(measureLoop(steps));
  print(measureFlatness());
  print(measureFan(1_000));
  const savers = await openSavers(await environment.createDatabase('langgraph'));
  for (const [where, saver] of savers.byName) {
    for (const steps of LANGGRAPH_LENGTHS)
      print({ chain: 'pure', where, steps, microsecondsPerStep: round(await measureLangGraph(steps, saver), 0) });
  }
  await savers.close();
  const prepareRun = onHoldfast(environment);
  const prepareByHand = await byHand(environment, new URL('handwritten.ts', import.meta.url));
  const { client } = environment;
  const holdfast: RunChain = async ({ chain, steps }) => await timeRun(client, await prepareRun(loopOf(chain, steps)));
  const handwritten: RunChain = async ({ chain, steps }) => await timeRun(client, prepareByHand(chain, steps));
  for (const one of CASES) print({ ...one, ...(await compare(one, holdfast, handwritten)) });
  print(await measureLongRun(environment, { prepareRun, prepareByHand }));
} finally {
  await environment.stop();
}

/** Runs a chain once. */
type RunChain = (chained: Case) => Promise<TimedRun>;

async function compare(chained: Case, holdfast: RunChain, handwritten: RunChain): Promise<object> {
  await holdfast(chained);
  await handwritten(chained);
  const ours: TimedRun[] = [];
  const theirs: TimedRun[] = [];
  for (let turn = 0; turn < chained.rounds; turn++) {
    ours.push(await holdfast(chained));
    theirs.push(await handwritten(chained));
  }
  const [our, their] = [summarize(ours), summarize(theirs)];
  return {
    holdfast: our,
    handwritten: their,
    ratio: round(our.ms / their.ms, 3),
    bytesRatio: round(our.historyBytes / their.historyBytes, 2),
  };
}

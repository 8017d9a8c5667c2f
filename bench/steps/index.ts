import { openEnvironment } from '../support/environment.ts';
import { measureLangGraph, openSavers } from './langgraph.ts';
import { measureFan, measureFlatness, measureLoop, measurePureSteps } from './pure-steps.ts';
import { byHand, onHoldfast } from './run-chain.ts';
import type { ChainRun, RunChain } from './run-chain.ts';
import type { ChainKind } from './chains.ts';

/*
 * What a step costs: `npm run bench:steps`. Prints one JSON object a line: the interpreter alone, the same chains on
 * LangGraph without and with its checkpointers, then loops on Holdfast
 * next to the same loops written by hand for Temporal, in turns, medians of all rounds.
 */

interface Case {
  readonly kind: ChainKind;
  readonly steps: number;
  readonly rounds: number;
}

const CASES: readonly Case[] = [
  { kind: 'pure', steps: 10, rounds: 15 },
  { kind: 'pure', steps: 100, rounds: 15 },
  { kind: 'pure', steps: 1_000, rounds: 15 },
  { kind: 'tool', steps: 10, rounds: 15 },
  { kind: 'tool', steps: 100, rounds: 9 },
];

const LENGTHS = [10, 100, 1_000, 10_000];
const LANGGRAPH_LENGTHS = [10, 100, 1_000];

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
  const holdfast = onHoldfast(environment);
  const handwritten = await byHand(environment);
  for (const { kind, steps, rounds } of CASES)
    print({ chain: kind, steps, rounds, ...(await compare({ kind, steps, rounds }, holdfast, handwritten)) });
} finally {
  await environment.stop();
}

async function compare({ kind, steps, rounds }: Case, holdfast: RunChain, handwritten: RunChain): Promise<object> {
  await holdfast(kind, steps);
  await handwritten(kind, steps);
  const ours: ChainRun[] = [];
  const theirs: ChainRun[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await holdfast(kind, steps));
    theirs.push(await handwritten(kind, steps));
  }
  const [our, their] = [summarize(ours), summarize(theirs)];
  return {
    holdfast: our,
    handwritten: their,
    ratio: round(our.ms / their.ms, 3),
    bytesRatio: round(our.historyBytes / their.historyBytes, 2),
  };
}

function summarize(runs: readonly ChainRun[]): ChainRun {
  const median = (of: (run: ChainRun) => number): number =>
    runs.map(of).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0;
  return {
    ms: round(
      median(({ ms }) => ms),
      2,
    ),
    historyEvents: median(({ historyEvents }) => historyEvents),
    historyBytes: median(({ historyBytes }) => historyBytes),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { byHand } from '../support/by-hand.ts';
import { openEnvironment } from '../support/environment.ts';
import { ASKING_TURNS, CALLS_PER_TURN, USAGE } from '../support/instant-model.ts';
import { onHoldfast } from '../support/on-holdfast.ts';
import { median, print, round, summarize, timeRun } from '../support/timed-run.ts';
import type { Start, TimedRun } from '../support/timed-run.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of agents: `npm run bench:agent [-- 5]`, with the number of rounds. 100 agents run concurrently, whose model
 * requests three parallel tool calls in each of five turns, on Holdfast and written by hand for Temporal, in
 * alternation. Prints one JSON object per line, and compares the tokens and costs that runs report with the usage of
 * the model.
 */

const AGENTS = sized(100, 2);
const ROUNDS = Number(process.argv[2] ?? sized(5, 1));

const AGENT: GraphDefinition = {
  name: 'agent',
  channels: { answer: {} },
  nodes: {
    work: {
      type: 'agent',
      model: 'instant',
      system: 'Use the tool.',
      prompt: 'Go on.',
      tools: ['ping'],
      write: { answer: '{{ result.text }}' },
    },
  },
  edges: [{ from: '__start__', to: 'work' }],
  output: ['answer'],
};

const environment = await openEnvironment();
try {
  const { client, store } = environment;
  const prepareRun = onHoldfast(environment);
  const prepareByHand = await byHand(environment, new URL('handwritten.ts', import.meta.url));
  const [ours, theirs]: [Batch[], Batch[]] = [[], []];
  const ids: string[] = [];
  for (let turn = 0; turn <= ROUNDS; turn++) {
    const starts = await Promise.all(Array.from({ length: AGENTS }, () => prepareRun(AGENT)));
    ids.push(...starts.map(({ workflowId }) => workflowId.split(':').at(-1) ?? ''));
    ours.push(await batch(starts));
    theirs.push(await batch(Array.from({ length: AGENTS }, () => prepareByHand('agent', 'Go on.'))));
  }
  const [our, their] = [ours, theirs].map((batches) => toLine(batches.slice(1)));
  if (our && their) print({ agents: AGENTS, holdfast: our, handwritten: their, ratio: round(our.ms / their.ms, 3) });
  print(sum(await Promise.all(ids.map(async (id) => await usageOf(id)))));

  async function usageOf(id: string): Promise<Usage> {
    const record = await store.runs.find(id);
    if (record?.view?.status !== 'completed') throw new Error(`The run ${id} is ${record?.view?.status}`);
    return record.view.usage;
  }

  async function batch(starts: readonly Start[]): Promise<Batch> {
    const begin = performance.now();
    const runs = await Promise.all(starts.map((start) => timeRun(client, start)));
    return { ms: performance.now() - begin, runs };
  }
} finally {
  await environment.stop();
}

interface Batch {
  readonly ms: number;
  readonly runs: readonly TimedRun[];
}

interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly toolCalls: number;
}

function toLine(batches: readonly Batch[]) {
  const ms = median(batches.map((batch) => batch.ms));
  const { historyEvents, historyBytes } = summarize(batches.flatMap(({ runs }) => runs));
  return { ms: round(ms, 0), msPerTurn: round(ms / AGENTS / (ASKING_TURNS + 1), 2), historyEvents, historyBytes };
}

/** The usage reported by the runs, next to that of the model. */
function sum(runs: readonly Usage[]): object {
  const turns = runs.length * (ASKING_TURNS + 1);
  const total = (of: (run: Usage) => number): number => runs.reduce((before, run) => before + of(run), 0);
  const reported = {
    inputTokens: total(({ inputTokens }) => inputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    toolCalls: total(({ toolCalls }) => toolCalls),
    costMicros: total(({ costUsd }) => Math.round(costUsd * 1_000_000)),
  };
  const used = {
    inputTokens: turns * USAGE.inputTokens,
    outputTokens: turns * USAGE.outputTokens,
    toolCalls: runs.length * ASKING_TURNS * CALLS_PER_TURN,
    costMicros: turns * (USAGE.inputTokens * 3 + USAGE.outputTokens * 15),
  };
  return { runs: runs.length, reported, used, equal: JSON.stringify(reported) === JSON.stringify(used) };
}

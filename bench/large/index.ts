import { compileGraph } from '../../src/graph/compile/compile.ts';
import { CEILINGS } from '../../src/graph/definition/limits.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/index.ts';
import { validateGraph } from '../../src/graph/validate/index.ts';
import { medianMs } from '../support/in-interpreter.ts';
import { median, print, round } from '../support/timed-run.ts';
import { chainOf, fanOut } from '../steps/chains.ts';
import { conversation, messagesOf, stepsBeside } from './graphs.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of large values in the interpreter: `npm run bench:large`. Each case is measured at one size and at a tenth
 * of it or less, which reveals costs that grow faster than the size. The young generation of the heap is as large as in
 * the workflow process. Prints one JSON object per line.
 */

const STEPS = sized(100, 2);
const CATALOG = { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: CEILINGS };

for (const elements of sized([1_000, 10_000], [10])) {
  const ms = medianMs(fanOut(), { items: Array.from({ length: elements }, (_, at) => at) });
  print({ large: 'forEach', elements, ms: round(ms, 1), microsecondsPerElement: perUnit(ms, elements) });
}

for (const megabytes of sized([0, 1, 5], [0]))
  print({ large: 'state', megabytes, ...beginAndStep(stepsBeside, { held: 'x'.repeat(megabytes * 1_000_000) }) });

for (const messages of sized([100, 1_000, 10_000], [10]))
  print({ large: 'messages', messages, ...beginAndStep(conversation, { messages: messagesOf(messages) }) });

for (const nodes of sized([200, 2_000], [10])) {
  const graph = chainOf('pure', nodes);
  print({
    large: 'graph',
    nodes,
    validateMs: timeOf(() => validateGraph(toJson(graph), CATALOG)),
    compileMs: timeOf(() => compile(graph)),
    microsecondsPerStep: perUnit(medianMs(graph, {}), nodes),
  });
}

/** Measures the start and end of a run, and the additional time of each step. */
function beginAndStep(graphOf: (steps: number) => GraphDefinition, input: JsonObject): object {
  const [few, many] = [medianMs(graphOf(STEPS), input), medianMs(graphOf(10 * STEPS), input)];
  const microsecondsPerStep = perUnit(many - few, 9 * STEPS);
  return { beginMs: round(few - (microsecondsPerStep * STEPS) / 1_000, 1), microsecondsPerStep };
}

function compile(graph: GraphDefinition): void {
  compileGraph(graph, CATALOG);
}

function timeOf(work: () => unknown): number {
  const once = (): number => {
    const begin = performance.now();
    work();
    return performance.now() - begin;
  };
  return round(median(Array.from({ length: 11 }, once)), 1);
}

function perUnit(ms: number, units: number): number {
  return round((ms / units) * 1_000, 2);
}

import { advance, startRun } from '../../src/graph/advance.ts';
import { DEFAULTS } from '../../src/graph/catalog.ts';
import { compileGraph } from '../../src/graph/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition.ts';
import type { JsonObject } from '../../src/graph/json.ts';
import { limitsOfGraph } from '../../src/graph/limits.ts';
import { chainOf, fanOut, loopOf } from './chains.ts';

const WARM_UP_MS = 1_500;
const ROUNDS = 21;

/** Times a chain of pure steps in the interpreter alone. @returns the median, as microseconds a step */
export function measurePureSteps(steps: number): object {
  return { chain: 'pure', where: 'interpreter', steps, microsecondsPerStep: perStep(chainOf('pure', steps), steps) };
}

/** Times one node that leads to itself so many times. */
export function measureLoop(steps: number): object {
  return { chain: 'loop', where: 'interpreter', steps, microsecondsPerStep: perStep(loopOf(steps), steps) };
}

/** Times one superstep of so many pure tasks. */
export function measureFan(elements: number): object {
  const items = Array.from({ length: elements }, (_, at) => at);
  const ms = medianMs(fanOut(), { items });
  return { chain: 'forEach', where: 'interpreter', elements, ms: Number(ms.toFixed(1)) };
}

function perStep(definition: GraphDefinition, steps: number): number {
  return Number(((medianMs(definition, {}) / steps) * 1_000).toFixed(2));
}

function medianMs(definition: GraphDefinition, input: JsonObject): number {
  const graph = compileGraph(definition, { models: {}, tools: {}, functions: {}, defaults: DEFAULTS });
  const identity = {
    id: 'bench',
    tenantId: 'bench',
    threadId: null,
    graph: { name: 'chain', version: 1, hash: 'h' },
    createdBy: { sub: 'bench', roles: [] },
    limits: limitsOfGraph(definition.limits, DEFAULTS),
  };
  const once = (): number => {
    const begin = performance.now();
    let step = startRun(graph, identity, { input, startedAt: 0 });
    while (step.more) step = advance(graph, step.run, { kind: 'continue', at: 0 });
    if (step.run.status !== 'completed') throw new Error(`The chain is ${step.run.status}`);
    return performance.now() - begin;
  };
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until;) once();
  const times = Array.from({ length: ROUNDS }, once);
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

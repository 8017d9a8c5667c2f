import { advance, startRun } from '../../src/graph/advance.ts';
import { DEFAULTS } from '../../src/graph/catalog.ts';
import { compileGraph } from '../../src/graph/compile.ts';
import { limitsOfGraph } from '../../src/graph/limits.ts';
import { chainOf } from './chains.ts';

const WARM_UP = 100;
const ROUNDS = 41;

/** Times a chain of pure steps in the interpreter alone. @returns the median, as microseconds a step */
export function measurePureSteps(steps: number): object {
  const definition = chainOf('pure', steps);
  const graph = compileGraph(definition, { models: {}, tools: {}, functions: {}, defaults: DEFAULTS });
  const limits = limitsOfGraph(definition.limits, DEFAULTS);
  const identity = {
    id: 'bench',
    tenantId: 'bench',
    threadId: null,
    graph: { name: 'chain', version: 1, hash: 'h' },
    createdBy: { sub: 'bench', roles: [] },
    limits,
  };
  const times = Array.from({ length: WARM_UP + ROUNDS }, () => {
    const begin = performance.now();
    let step = startRun(graph, identity, { input: {}, startedAt: 0 });
    while (step.more) step = advance(graph, step.run, { kind: 'continue', at: 0 });
    if (step.run.status !== 'completed') throw new Error(`The chain is ${step.run.status}`);
    return performance.now() - begin;
  });
  const median = times.slice(WARM_UP).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  return {
    chain: 'pure',
    where: 'interpreter',
    steps,
    microsecondsPerStep: Number(((median / steps) * 1_000).toFixed(2)),
  };
}

import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { CEILINGS } from '../../src/graph/definition/ceilings.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { chainOf, fanOut, loopOf } from './chains.ts';

const WARM_UP_MS = 1_500;
const ROUNDS = 21;

/** Times a chain of pure steps in the interpreter alone. @returns the median, as microseconds a step */
export function measurePureSteps(steps: number): object {
  return { chain: 'pure', where: 'interpreter', steps, microsecondsPerStep: perStep(chainOf('pure', steps), steps) };
}

/** Times one node that leads to itself so many times. */
export function measureLoop(steps: number): object {
  return { chain: 'loop', where: 'interpreter', steps, microsecondsPerStep: perStep(loopOf('pure', steps), steps) };
}

/**
 * What a step costs at the end of a run of 10,000 steps, by what it costs at the beginning: the interpreter lets the
 * journal catch up now and then, and the pieces in between are timed.
 */
export function measureFlatness(): object {
  const once = runner(loopOf('pure', 10_000), {});
  warmUp(once);
  const ratios = Array.from({ length: ROUNDS }, () => {
    const pieces = once().filter(({ steps }) => steps >= 1_000);
    return costOf(pieces.at(-1)) / costOf(pieces.at(0));
  });
  return { chain: 'loop', where: 'interpreter', steps: 10_000, lateByEarly: Number(median(ratios).toFixed(2)) };
}

function costOf(piece: Piece | undefined): number {
  return piece ? piece.ms / piece.steps : Number.NaN;
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
  const once = runner(definition, input);
  warmUp(once);
  return median(Array.from({ length: ROUNDS }, () => once().reduce((sum, { ms }) => sum + ms, 0)));
}

/** What the interpreter did before it let the journal catch up. */
interface Piece {
  readonly steps: number;
  readonly ms: number;
}

function runner(definition: GraphDefinition, input: JsonObject): () => readonly Piece[] {
  const graph = compileGraph(definition, {
    models: {},
    tools: {},
    functions: {},
    defaults: DEFAULTS,
    ceilings: CEILINGS,
  });
  const identity = {
    id: 'bench',
    tenantId: 'bench',
    threadId: null,
    graph: { name: 'chain', version: 1, hash: 'h' },
    createdBy: { sub: 'bench', roles: [] },
    limits: limitsOfGraph(definition.limits, DEFAULTS),
  };
  return () => {
    const pieces: Piece[] = [];
    let begin = performance.now();
    let step = startRun(graph, identity, { input, startedAt: 0 });
    pieces.push({ steps: step.run.root.step, ms: performance.now() - begin });
    while (step.hasYielded) {
      begin = performance.now();
      const { step: before } = step.run.root;
      step = advance(graph, step.run, { kind: 'continue', at: 0 });
      pieces.push({ steps: step.run.root.step - before, ms: performance.now() - begin });
    }
    if (step.run.phase.kind !== 'completed') throw new Error(`The chain is ${step.run.phase.kind}`);
    return pieces;
  };
}

function warmUp(once: () => unknown): void {
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until;) once();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { CEILINGS } from '../../src/graph/definition/limits.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { median } from './timed-run.ts';
import { sized } from './size.ts';

const WARM_UP_MS = sized(1_500, 0);
export const ROUNDS = sized(21, 1);

/** Measures complete runs in the warmed-up interpreter alone. @returns the median, in milliseconds */
export function medianMs(definition: GraphDefinition, input: JsonObject): number {
  const once = runner(definition, input);
  warmUp(once);
  return median(Array.from({ length: ROUNDS }, () => once().reduce((sum, { ms }) => sum + ms, 0)));
}

/** The work of the interpreter between two pauses for the journal. */
export interface Piece {
  readonly steps: number;
  readonly ms: number;
}

/** Returns a function that runs a graph of pure nodes once, piece by piece. */
export function runner(definition: GraphDefinition, input: JsonObject): () => readonly Piece[] {
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

export function warmUp(once: () => unknown): void {
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until;) once();
}

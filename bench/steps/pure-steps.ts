import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { medianMs, ROUNDS, runner, warmUp } from '../support/in-interpreter.ts';
import type { Piece } from '../support/in-interpreter.ts';
import { median } from '../support/timed-run.ts';
import { chainOf, fanOut, loopOf } from './chains.ts';

/** Measures a chain of pure steps in the interpreter alone. @returns the median, in microseconds per step */
export function measurePureSteps(steps: number): object {
  return { chain: 'pure', where: 'interpreter', steps, microsecondsPerStep: perStep(chainOf('pure', steps), steps) };
}

/** Measures one node in a loop with the given number of visits. */
export function measureLoop(steps: number): object {
  return { chain: 'loop', where: 'interpreter', steps, microsecondsPerStep: perStep(loopOf('pure', steps), steps) };
}

/**
 * Measures the cost of a step at the end of a run of 10,000 steps, compared with its beginning: the interpreter pauses
 * at intervals for the journal, and the parts in between are timed.
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

/** Measures one superstep with the given number of pure tasks. */
export function measureFan(elements: number): object {
  const items = Array.from({ length: elements }, (_, at) => at);
  const ms = medianMs(fanOut(), { items });
  return { chain: 'forEach', where: 'interpreter', elements, ms: Number(ms.toFixed(1)) };
}

function perStep(definition: GraphDefinition, steps: number): number {
  return Number(((medianMs(definition, {}) / steps) * 1_000).toFixed(2));
}

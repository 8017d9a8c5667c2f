import type { ShownRun } from './facts.ts';

/** A limit of a run, and what is left of it. */
export interface BudgetLine {
  readonly limit: keyof typeof USED;
  readonly allowed: number;
  readonly used: number;
  /** Never below 0. */
  readonly left: number;
}

/** What a run has used of the limits that can be counted. */
const USED = {
  maxSteps: ({ step }: ShownRun) => step + 1,
  maxTokens: ({ usage }: ShownRun) => usage.inputTokens + usage.outputTokens,
  maxCostUsd: ({ usage }: ShownRun) => usage.costUsd,
  maxToolCalls: ({ usage }: ShownRun) => usage.toolCalls,
} as const;

const NAMES = ['maxSteps', 'maxTokens', 'maxCostUsd', 'maxToolCalls'] as const;

/** Costs are counted in millionths of a dollar. */
const MICROS = 1_000_000;

/** What is left of the limits that a run has. */
export function budgetOf(run: ShownRun): readonly BudgetLine[] {
  return NAMES.flatMap((limit) => {
    const allowed = run.limits[limit];
    if (typeof allowed !== 'number') return [];
    const used = USED[limit](run);
    return [{ limit, allowed, used, left: Math.max(0, Math.round((allowed - used) * MICROS) / MICROS) }];
  });
}

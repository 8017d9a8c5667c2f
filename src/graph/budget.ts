import type { Draft } from './draft.ts';
import type { CallRequest } from './effect.ts';
import { GraphError } from './errors.ts';

/**
 * Checks a run's budgets before a call is made. Calls that are out count as made.
 * @throws GraphError `BUDGET_EXCEEDED`, which names the budget
 */
export function refuseOverBudget({ run }: Draft, { kind }: CallRequest): void {
  const { maxTokens, maxCostUsd, maxToolCalls } = run.limits;
  const { inputTokens, outputTokens, costMicros, toolCalls } = run.spent;
  if (kind === 'tool' && maxToolCalls !== undefined) {
    const out = Object.values(run.calls).filter(({ called }) => called.kind === 'tool').length;
    if (toolCalls + out >= maxToolCalls) throw exceeded('maxToolCalls', maxToolCalls, toolCalls + out);
  }
  if (kind !== 'model') return;
  const tokens = inputTokens + outputTokens;
  if (maxTokens !== undefined && tokens >= maxTokens) throw exceeded('maxTokens', maxTokens, tokens);
  const costUsd = costMicros / 1_000_000;
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd) throw exceeded('maxCostUsd', maxCostUsd, costUsd);
}

function exceeded(name: string, limit: number, used: number): GraphError {
  return new GraphError('BUDGET_EXCEEDED', `The budget ${name} of ${limit} is used up: ${used}`);
}

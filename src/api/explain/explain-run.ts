import { actionsOf } from './actions.ts';
import type { Action } from './control.ts';
import { budgetOf } from './budget.ts';
import type { BudgetLine } from './budget.ts';
import { explainDeadline } from './deadline.ts';
import type { ExplainedDeadline } from './deadline.ts';
import type { Facts, ShownRun } from './facts.ts';
import { reasonsOf } from './reasons.ts';
import type { Reason } from './reasons.ts';

/** Why a run stands where it stands, and what can be done. */
export interface Explanation {
  readonly runId: string;
  readonly status: ShownRun['status'];
  /** One sentence that a person takes in at once. */
  readonly summary: string;
  /** RFC 3339. */
  readonly since: string;
  readonly reasons: readonly Reason[];
  readonly budget: readonly BudgetLine[];
  /** `null`: the run has none. */
  readonly deadline: ExplainedDeadline | null;
  readonly actions: readonly Action[];
}

/** Explains a run to somebody who sees the facts. */
export function explainRun(facts: Facts): Explanation {
  const { id: runId, status } = facts.run;
  const reasons = reasonsOf(facts);
  const [{ text, since }, ...more] = reasons;
  return {
    runId,
    status,
    summary: more.length > 0 ? `${text} (${more.length} more)` : text,
    since,
    reasons,
    budget: budgetOf(facts.run),
    deadline: explainDeadline(facts),
    actions: actionsOf(facts),
  };
}

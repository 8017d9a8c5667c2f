import { COUNTED_LIMITS } from '../../graph/definition/index.ts';
import type { CountedLimit } from '../../graph/definition/index.ts';
import { formatReason } from '../../wording/index.ts';
import type { Reason } from '../../wording/index.ts';
import { actionsOf } from './actions.ts';
import type { Action } from './actions.ts';
import { reasonsOf } from './reasons.ts';
import type { Facts, ShownRun } from './reasons.ts';

/** Why a run is in its present state, and which actions are possible. */
export interface Explanation {
  readonly runId: string;
  readonly status: ShownRun['status'];
  /** A short summary in one sentence. */
  readonly summary: string;
  /** RFC 3339. */
  readonly since: string;
  readonly reasons: readonly ExplainedReason[];
  readonly budget: readonly BudgetLine[];
  /** `null` when the run has no deadline. */
  readonly deadline: ExplainedDeadline | null;
  readonly actions: readonly Action[];
}

/** Explains a run on the basis of facts that were redacted for the reader. */
export function explainRun(facts: Facts): Explanation {
  const { id: runId, status } = facts.run;
  const [first, ...more] = reasonsOf(facts);
  const { text, since } = explained(first);
  return {
    runId,
    status,
    summary: more.length > 0 ? `${text} (${more.length} more)` : text,
    since,
    reasons: [first, ...more].map(explained),
    budget: budgetOf(facts.run),
    deadline: explainDeadline(facts),
    actions: actionsOf(facts, [first, ...more]),
  };
}

type ExplainedReason = ReturnType<typeof explained>;

/** Formats a reason for the API. */
function explained(reason: Reason) {
  const { kind, about: _inText, ...fields } = reason;
  return { kind, text: toSentence(formatReason(reason)), ...fields };
}

function toSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A limit of a run, and how much of it is left. */
export interface BudgetLine {
  readonly limit: CountedLimit;
  readonly allowed: number;
  readonly used: number;
  /** Never negative. */
  readonly left: number;
}

/** Returns how much of a limit a run has used. */
const USED: Readonly<Record<CountedLimit, (run: ShownRun) => number>> = {
  maxSteps: ({ step }) => step + 1,
  maxTokens: ({ usage }) => usage.inputTokens + usage.outputTokens,
  maxCostUsd: ({ usage }) => usage.costUsd,
  maxToolCalls: ({ usage }) => usage.toolCalls,
};

/** Costs are compared in millionths of a dollar. */
const MICROS = 1_000_000;

/** Returns the remaining amounts of the limits that the run has. */
function budgetOf(run: ShownRun): readonly BudgetLine[] {
  return COUNTED_LIMITS.flatMap((limit) => {
    const allowed = run.limits[limit];
    if (typeof allowed !== 'number') return [];
    const used = USED[limit](run);
    return [{ limit, allowed, used, left: Math.max(0, Math.round((allowed - used) * MICROS) / MICROS) }];
  });
}

/** The deadline of a run, and its effect. */
export interface ExplainedDeadline {
  /** RFC 3339; `null` while the deadline is suspended. */
  readonly at: string | null;
  /**
   * The time left, in milliseconds: the remaining time of a suspended deadline, or the time that was left when it last
   * started to run.
   */
  readonly leftMs: number;
  readonly effect: string;
}

const THEN =
  'The run fails with DEADLINE_EXCEEDED, and what its graph says is to be undone is undone. If nothing was to be undone, a retry with a longer `limits.deadline` goes on; else only a fork does.';
const STILL = 'The time stands still while the run is paused or only waits for people.';

/** Explains when the deadline of a run is reached. */
function explainDeadline({ deadline }: Pick<Facts, 'deadline'>): ExplainedDeadline | null {
  return deadline ? { ...deadline, effect: deadline.at === null ? `${STILL} ${THEN}` : THEN } : null;
}

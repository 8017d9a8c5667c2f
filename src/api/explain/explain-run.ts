import { formatReason } from '../../wording/index.ts';
import type { Reason } from '../../wording/index.ts';
import { actionsOf } from './actions.ts';
import type { Action } from './actions.ts';
import { reasonsOf } from './reasons.ts';
import type { Facts, ShownRun } from './reasons.ts';

/** Why a run stands where it stands, and what can be done. */
export interface Explanation {
  readonly runId: string;
  readonly status: ShownRun['status'];
  /** One sentence that a person takes in at once. */
  readonly summary: string;
  /** RFC 3339. */
  readonly since: string;
  readonly reasons: readonly ExplainedReason[];
  readonly budget: readonly BudgetLine[];
  /** `null`: the run has none. */
  readonly deadline: ExplainedDeadline | null;
  readonly actions: readonly Action[];
}

/** Explains a run to somebody who sees the facts. */
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

/** A reason as the API answers it. */
function explained(reason: Reason) {
  const { kind, about: _inText, ...fields } = reason;
  return { kind, text: toSentence(formatReason(reason)), ...fields };
}

function toSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

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
function budgetOf(run: ShownRun): readonly BudgetLine[] {
  return NAMES.flatMap((limit) => {
    const allowed = run.limits[limit];
    if (typeof allowed !== 'number') return [];
    const used = USED[limit](run);
    return [{ limit, allowed, used, left: Math.max(0, Math.round((allowed - used) * MICROS) / MICROS) }];
  });
}

/** The deadline of a run, and what happens then. */
export interface ExplainedDeadline {
  /** RFC 3339; `null`: it stands still. */
  readonly at: string | null;
  /** The time that is left where it stands still, or was when it began to run, in milliseconds. */
  readonly leftMs: number;
  readonly effect: string;
}

const THEN =
  'The run fails with DEADLINE_EXCEEDED, and what its graph says is to be undone is undone. If nothing was to be undone, a retry with a longer `limits.deadline` goes on; else only a fork does.';
const STILL = 'The time stands still while the run is paused or only waits for people.';

/** Says when the time of a run is over. */
function explainDeadline({ deadline }: Pick<Facts, 'deadline'>): ExplainedDeadline | null {
  return deadline ? { ...deadline, effect: deadline.at === null ? `${STILL} ${THEN}` : THEN } : null;
}

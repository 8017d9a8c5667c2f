import { COUNTED_LIMITS } from '../../graph/definition/index.ts';
import type { CountedLimit } from '../../graph/definition/index.ts';
import { formatReason } from '../../wording/index.ts';
import type { Reason } from '../../wording/index.ts';
import type { Explanation } from '../schemas/explanation.ts';
import { actionsOf } from './actions.ts';
import { reasonsOf } from './reasons.ts';
import type { ExplanationFacts, VisibleRun } from './reasons.ts';

/** Explains a run on the basis of facts that were redacted for the reader. */
export function explainRun(facts: ExplanationFacts): Explanation {
  const { id: runId, status } = facts.run;
  const [first, ...more] = reasonsOf(facts);
  const { text, since } = toExplainedReason(first);
  return {
    runId,
    status,
    summary: more.length > 0 ? `${text} (${more.length} more)` : text,
    since,
    reasons: [first, ...more].map(toExplainedReason),
    budget: explainBudget(facts.run),
    deadline: explainDeadline(facts),
    actions: actionsOf(facts, [first, ...more]),
  };
}

/** Formats a reason for the API. */
function toExplainedReason(reason: Reason) {
  const { kind, about: _textOnly, ...fields } = reason;
  return { kind, text: toSentence(formatReason(reason)), ...fields };
}

function toSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Returns how much of a limit a run has used. */
const USED: Readonly<Record<CountedLimit, (run: VisibleRun) => number>> = {
  maxSteps: ({ step }) => step + 1,
  maxTokens: ({ usage }) => usage.inputTokens + usage.outputTokens,
  maxCostUsd: ({ usage }) => usage.costUsd,
  maxToolCalls: ({ usage }) => usage.toolCalls,
};

/** Costs are compared in millionths of a dollar. */
const MICROS = 1_000_000;

/** Returns the remaining amounts of the limits that the run has. */
function explainBudget(run: VisibleRun): Explanation['budget'] {
  return COUNTED_LIMITS.flatMap((limit) => {
    const allowed = run.limits[limit];
    if (typeof allowed !== 'number') return [];
    const used = USED[limit](run);
    return [{ limit, allowed, used, left: Math.max(0, Math.round((allowed - used) * MICROS) / MICROS) }];
  });
}

const EFFECT_OF_DEADLINE =
  'The run fails with DEADLINE_EXCEEDED, and what its graph says is to be undone is undone. If nothing was to be undone, a retry with a longer `limits.deadline` goes on';
const WHILE_SUSPENDED = 'The time stands still while the run is paused or only waits for people.';

/** Explains when the deadline of a run is reached. */
function explainDeadline({
  deadline,
  forking,
}: Pick<ExplanationFacts, 'deadline' | 'forking'>): Explanation['deadline'] {
  if (!deadline) return null;
  const effect = `${EFFECT_OF_DEADLINE}${forking ? '; else only a fork does' : ''}.`;
  return { ...deadline, effect: deadline.at === null ? `${WHILE_SUSPENDED} ${effect}` : effect };
}

import type { Draft } from '../../draft/draft.ts';
import { keyOfCall } from '../../draft/frames.ts';
import type { PerhapsMadeCall } from '../../run/compensation.ts';
import { isSamePath } from '../../run/ids.ts';
import type { Refusal } from '../../run/refusal.ts';
import { hasEnded } from '../../run/status.ts';
import { hasUnknownOutcome } from '../../run/unknown-outcomes.ts';
import { isUnknownOutcome } from '../../values/errors.ts';
import type { OpenIntervention } from './find-intervention.ts';

/** True if a retry makes a lost call again. A batch keeps its lost calls, which wait for a person again. */
export function repeatsLostCall({ failure, saved }: OpenIntervention): boolean {
  const isKept = (saved?.kind === 'agent' || saved?.kind === 'calls') && hasUnknownOutcome(saved);
  return isUnknownOutcome(failure.error) && !isKept;
}

/** Returns the lost call that a person is shown: one of a batch, or that of the node. */
export function shownLostCall({ handle, failure, call }: OpenIntervention): PerhapsMadeCall | null {
  if (!isUnknownOutcome(failure.error)) return null;
  const { node, task, taskPath } = handle;
  const shown = task.state.phase === 'intervention' ? task.state.call : null;
  const made = call ? { key: keyOfCall(handle, call.number), tool: call.tool } : shown;
  return made && { key: made.key, taskPath, called: made.tool ?? node.id };
}

/**
 * Returns the calls that a retry of the node would make again although they are lost. Those without an answer from their
 * run's end are left out, as the ledger does not repeat them.
 */
export function lostCallsOf({ run }: Draft, intervention: OpenIntervention): readonly PerhapsMadeCall[] {
  if (!repeatsLostCall(intervention)) return [];
  const shown = shownLostCall(intervention);
  const others = run.compensation.perhapsMade.filter(
    ({ key, taskPath, unansweredTakeover }) =>
      key !== shown?.key && unansweredTakeover === undefined && isSamePath(taskPath, intervention.handle.taskPath),
  );
  return shown ? [shown, ...others] : others;
}

/** Refuses to repeat a node that has lost several calls: a person is shown one of them, and all would be made again. */
export function refuseSeveralLost(draft: Draft, interventions: readonly OpenIntervention[]): Refusal | null {
  const lost = interventions.map((one) => lostCallsOf(draft, one)).find(({ length }) => length > 1);
  if (!lost) return null;
  const keys = lost.map(({ key }) => key).join(', ');
  const instead = hasEnded(draft.run) ? 'Skip it, or fork the run before it' : 'Skip it, or fail it';
  return { code: 'NOT_ALLOWED_NOW', message: `Several calls of the node may have been made: ${keys}. ${instead}` };
}

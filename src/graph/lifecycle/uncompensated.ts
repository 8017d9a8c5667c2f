import type { Draft } from '../draft/draft.ts';
import type { PossiblyExecutedCall } from '../run/compensation.ts';
import { taskName } from '../run/ids.ts';
import { nodesWithUnknownOutcome } from '../run/unknown-outcomes.ts';
import { MAX_MESSAGE } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { truncate } from '../values/text.ts';

/**
 * Describes failed compensations and calls with an unknown outcome when a run ends.
 * @returns the cause for the run's error, if there is any
 */
export function uncompensatedCause({ run }: Draft): RunError['cause'] {
  const { phase, root, compensation } = run;
  const nodes = phase.kind === 'closing' ? phase.unknown : nodesWithUnknownOutcome(root);
  const left = [
    ...compensation.pending.map(({ task }) => `${task.node}: ${NOT_REACHED}`),
    ...nodes.map((node) => `${node}: ${UNKNOWN_OUTCOME_TEXT}`),
    ...compensation.perhapsMade.map(describePossiblyExecuted),
    ...compensation.failures,
  ];
  if (left.length === 0) return undefined;
  const isLacking = compensation.failures.length + compensation.pending.length > 0;
  const code = isLacking ? 'COMPENSATION_FAILED' : 'UNKNOWN_OUTCOME';
  return { code, message: `Not compensated: ${listTexts(left)}` };
}

/** Lists as many texts as fit into an error message, and the number of the others. */
function listTexts(texts: readonly string[]): string {
  const fitting: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length + 2;
    if (fitting.length > 0 && length > MAX_LISTED_CHARACTERS) break;
    fitting.push(truncate(text, MAX_LISTED_CHARACTERS));
  }
  const others = texts.length - fitting.length;
  return [...fitting, ...(others > 0 ? [`and ${others} more, which the ledger lists`] : [])].join('; ');
}

/** In characters; the rest of the message is for the number of texts left out. */
const MAX_LISTED_CHARACTERS = MAX_MESSAGE - 100;

const NOT_REACHED = 'the run has ended before its compensation';
const UNKNOWN_OUTCOME_TEXT = 'the outcome of the call is unknown';

/** Returns the text about a call for the error of its run. */
function describePossiblyExecuted({ taskPath, called }: PossiblyExecutedCall): string {
  return `${taskName(taskPath)}: the call of ${called} may have been made`;
}

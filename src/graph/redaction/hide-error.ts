import { START } from '../definition/definition.ts';
import type { RunError, RunErrorCode } from '../values/errors.ts';
import { graphsIn, nodesNamed } from './hidden-at.ts';
import { REDACTED } from './mask.ts';
import { isRedacting } from './redaction.ts';
import type { Redaction } from './redaction.ts';

/** Codes of errors whose messages the engine makes of names and limits alone. */
const WITHOUT_VALUES: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'CANCELED',
  'DEADLINE_EXCEEDED',
  'GRAPH_RECURSION_LIMIT',
  'MAX_VISITS_EXCEEDED',
]);

/** Hides the messages of an error, and where code has thrown; its codes and its node stay. */
export function hideMessages(error: RunError): RunError {
  const { code, message, cause } = error;
  return {
    ...error,
    message: WITHOUT_VALUES.has(code) ? message : REDACTED,
    ...(cause && { cause: { code: cause.code, message: REDACTED } }),
  };
}

/** Removes from an error where configured code has thrown, if that is hidden. */
export function hideStack(error: RunError, { stacks }: Redaction): RunError {
  if (stacks !== true || error.cause?.stack === undefined) return error;
  const { code, message } = error.cause;
  return { ...error, cause: { code, message } };
}

/** Hides the messages of an error whose place is known by the name of its node only. */
export function hideErrorOf(error: RunError, redaction: Redaction): RunError {
  const isHidden = nodesNamed(redaction, error.node ?? START).some((node) => node.error);
  return isHidden ? hideMessages(error) : hideStack(error, redaction);
}

/** Hides the messages of a run's error. Its cause may tell of hidden compensations. */
export function hideRunError(error: RunError, redaction: Redaction): RunError {
  if (!isRedacting(redaction)) return hideStack(error, redaction);
  // An INTERNAL error without a node may quote any value, so its message is hidden.
  if (error.node === undefined && error.code === 'INTERNAL') return hideMessages(error);
  const shown = hideErrorOf(error, redaction);
  const { cause } = shown;
  return cause && undoesHidden(redaction) ? { ...shown, cause: { ...cause, message: REDACTED } } : shown;
}

function undoesHidden(redaction: Redaction): boolean {
  return graphsIn(redaction).some(({ nodes }) => Object.values(nodes).some(({ undone }) => undone));
}

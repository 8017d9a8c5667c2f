import { approvalInOneLine } from './approvals.ts';
import type { AskedParts } from './approvals.ts';
import { holdfastCommand } from './commands.ts';
import type { DecidedApproval } from './next-actions.ts';
import { toLine } from './phrases.ts';
import type { ReadableError } from './phrases.ts';
import { formatReason, nextActions, waitingReason } from './reasons.ts';
import type { Waiting } from './reasons.ts';

/** An approval with what it asks; a digest of `null` says that some of it is hidden. */
export interface ReadableApproval extends AskedParts, DecidedApproval {
  readonly decisions: readonly unknown[];
}

/**
 * Says in a terminal what a run waits for: a line with the reason, and one with the command that lets the run go on, if it does not
 * go on by itself.
 * @param approval the one that is awaited; `null`: none, or it is not known
 */
export function waitingLines(runId: string, waiting: Waiting, approval: ReadableApproval | null): readonly string[] {
  const inLine = approval && approvalInOneLine(approval);
  const awaited = approval && {
    ...approval,
    question: inLine ?? approval.title,
    decisions: approval.decisions.length,
  };
  const reason = waitingReason(waiting, awaited);
  const [first] = nextActions(reason, runId);
  // A command with a digest is only for people who see all that they approve.
  const isCut = approval !== null && inLine === null;
  const command = isCut ? `npx holdfast approvals --run ${runId}` : first && holdfastCommand(first);
  return [toLine(formatReason(reason)), ...(command === undefined ? [] : [`  ${toLine(command)}`])];
}

/** A call that has failed, and is made again. */
interface Retry {
  readonly node: string;
  readonly index?: number | undefined;
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly lastError: ReadableError | null;
  /** RFC 3339; `null`: it is made now. */
  readonly nextAttemptAt: string | null;
}

/** Says in a terminal that a call is made again, when and why. */
export function retryLine({ node, index, attempt, lastError, nextAttemptAt }: Retry): string {
  const error = lastError ?? undefined;
  return toLine(formatReason({ kind: 'retrying', node, index, attempt, nextAttemptAt, error, about: null }));
}

import { approvalInOneLine } from './approvals.ts';
import type { ApprovalContent } from './approvals.ts';
import { holdfastCommand } from './commands.ts';
import type { DecidedApproval } from './next-actions.ts';
import { toOneLine } from './phrases.ts';
import type { ReadableError } from './phrases.ts';
import { formatReason, nextActions, waitingReason } from './reasons.ts';
import type { Waiting } from './reasons.ts';

/** An approval with its content. If its digest is `null`, parts of the content are redacted. */
export interface ReadableApproval extends ApprovalContent, DecidedApproval {
  readonly decisions: readonly unknown[];
}

/**
 * Formats for a terminal what a run waits for: a line with the reason, and one with the command that continues the run,
 * unless it continues by itself.
 * @param approval the awaited one; `null` for none, or if it is unknown
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
  // A command with a digest is only for people who see everything that they approve.
  const isCut = approval !== null && inLine === null;
  const command = isCut ? `npx holdfast approvals --run ${runId}` : first && holdfastCommand(first);
  return [toOneLine(formatReason(reason)), ...(command === undefined ? [] : [`  ${toOneLine(command)}`])];
}

/** A failed call that will be repeated. */
interface FailedCallToRetry {
  readonly node: string;
  readonly index?: number | undefined;
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly lastError: ReadableError | null;
  /** RFC 3339; `null` if it is made now. */
  readonly nextAttemptAt: string | null;
}

/** Formats for a terminal when and why a call is repeated. */
export function retryLine({ node, index, attempt, lastError, nextAttemptAt }: FailedCallToRetry): string {
  const error = lastError ?? undefined;
  return toOneLine(formatReason({ kind: 'retrying', node, index, attempt, nextAttemptAt, error, about: null }));
}

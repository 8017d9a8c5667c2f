import type { RunError } from '../values/errors.ts';
import type { ToolCallRequest } from './effect.ts';
import type { Principal } from './principal.ts';
import type { TaskPath, TaskReference } from './ids.ts';

/** The call that compensates a completed one, or the reason why it is impossible. */
export type Compensation = CompensationCall | ImpossibleCompensation;

/** A completed call that is to be undone if its run fails or is canceled. */
interface Compensated {
  readonly key: string;
  readonly task: TaskReference;
  /** The superstep of the run's own graph in which the call was made. */
  readonly step: number;
}

export interface CompensationCall extends Compensated {
  readonly request: ToolCallRequest;
  /** A person must approve the call, by the rule of its tool. */
  readonly needsApproval: boolean;
  /** Those with other roles than the starter's who had shaped the run when the compensated call completed. */
  readonly shapedBy: readonly Principal[];
  /** The number of times that a person has ordered it again. */
  readonly takeover?: number;
}

/** A compensation that begins once people approve it. */
export interface AskedCompensation {
  readonly compensation: CompensationCall;
  readonly approvalId: string;
}

export interface UnknownCompensation {
  readonly compensation: CompensationCall;
  readonly error: RunError;
  /** RFC 3339. */
  readonly since: string;
}

/** The person for whom the latest compensation waits: to approve it, or to settle its unknown outcome. */
export type AwaitedPerson =
  | { readonly asked: null; readonly unknown: null }
  | { readonly asked: AskedCompensation; readonly unknown: null }
  | { readonly asked: null; readonly unknown: UnknownCompensation };

export const NOBODY_AWAITED: AwaitedPerson = { asked: null, unknown: null };

export interface ImpossibleCompensation extends Compensated {
  readonly problem: RunError;
}

/** A call of which no record says if it was made: it has timed out, was canceled on its way, or has no answer. */
export interface PerhapsMadeCall {
  readonly key: string;
  readonly taskPath: TaskPath;
  /** The tool, function or node type. */
  readonly called: string;
  /**
   * The takeover of a call that its run left without an answer when it ended. A reopened run requests the call with the same
   * one, so it does not order it again: the ledger answers, and repeats no unsafe call.
   */
  readonly unansweredTakeover?: number;
}

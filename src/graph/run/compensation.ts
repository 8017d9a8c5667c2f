import type { RunError } from '../values/errors.ts';
import type { ReadingRequest, ToolCallRequest } from './effect.ts';
import { taskAddress } from './ids.ts';
import type { TaskPath, TaskReference } from './ids.ts';
import type { Principal } from './principal.ts';

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
  /** The tool's own schema reads the arguments first; what it makes of them is not decided about yet. */
  readonly reading?: ReadingRequest;
  /** A person has approved the arguments that are read. */
  readonly isReadApproved?: true;
  /** What people were asked about before one of them changed the arguments that are read. */
  readonly asked?: ToolCallRequest;
  /** A person must approve the call, by the rule of its tool. */
  readonly needsApproval: boolean;
  /** Those with other roles than the starter's who had shaped the run when the compensated call completed. */
  readonly shapedBy: readonly Principal[];
  /** The number of times that a person has ordered it again. */
  readonly takeover?: number;
}

/** A compensation that begins once people approve it. */
export interface AskedCompensation {
  readonly kind: 'asked';
  readonly compensation: CompensationCall;
  readonly approvalId: string;
}

export interface UnknownCompensation {
  readonly kind: 'unknown';
  readonly compensation: CompensationCall;
  readonly error: RunError;
  /** RFC 3339. */
  readonly since: string;
}

/** The person for whom the latest compensation waits: to approve it, or to settle its unknown outcome. */
export type AwaitedPerson = AskedCompensation | UnknownCompensation;

export interface ImpossibleCompensation extends Compensated {
  readonly problem: RunError;
}

/** A call of which no record says if it was made: it has timed out, was canceled on its way, or has no answer. */
export interface PossiblyExecutedCall {
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

/*
 * State outlives the work that it stands for. A call counts as undone from the moment in which its run begins to end with it: its
 * compensation is to come, on its way, done or failed. Nothing may start from a state behind it: every door asks `isBehind`.
 */

/** The calls of a run that are undone, or about to be. */
export interface UndoneWork {
  /** The first superstep of the run's own graph whose calls are undone. Forks go on counting the steps of their parents. */
  readonly since: number;
  /** The nodes of these calls, `outer/inner` in a subgraph; the first few. */
  readonly nodes: readonly string[];
}

/** The nodes that a refusal names. */
const MAX_NAMED = 10;

/** Adds compensations, the earliest first, to what is undone. */
export function withUndone(undone: UndoneWork | null, compensations: readonly Compensation[]): UndoneWork | null {
  const [first] = compensations;
  if (!first) return undone;
  const nodes = compensations.slice(-MAX_NAMED).map(({ task }) => taskAddress(task));
  return {
    since: Math.min(first.step, undone?.since ?? first.step),
    nodes: [...new Set([...(undone?.nodes ?? []), ...nodes])].slice(0, MAX_NAMED),
  };
}

/** True if the state at a checkpoint stands for work that is undone. */
export function isBehind({ since }: Pick<UndoneWork, 'since'>, { step }: { readonly step: number }): boolean {
  return step >= since;
}

/** Names the nodes of undone calls, for a refusal. */
export function describeUndone({ nodes }: UndoneWork): string {
  return `${nodes.join(', ')}${nodes.length === MAX_NAMED ? ' and perhaps others' : ''}`;
}

import type { RunError } from '../values/errors.ts';
import type { ReadingRequest, ToolCallRequest } from './effect.ts';
import { taskAddress } from './ids.ts';
import type { TaskPath, TaskReference } from './ids.ts';
import type { Principal } from './principal.ts';

/** The call that compensates a completed one, or the reason why it is impossible. */
export type Compensation = CompensationCall | ImpossibleCompensation;

/** A completed call that is to be undone if its run fails or is canceled. */
interface CompensatedCall {
  readonly key: string;
  readonly task: TaskReference;
  /** The superstep of the run's own graph in which the call was made. */
  readonly step: number;
}

export interface CompensationCall extends CompensatedCall {
  readonly request: ToolCallRequest;
  /**
   * Present if the tool's own schema reads the arguments first. The approval rule is applied to what it makes of them.
   */
  readonly reading?: ReadingRequest;
  /** True if a person has approved the arguments that are being read. */
  readonly isReadApproved?: true;
  /** The request that people saw before one of them edited the arguments that are being read. */
  readonly asked?: ToolCallRequest;
  /** True if a person must approve the call, by its tool's rule. */
  readonly needsApproval: boolean;
  /** The run's editors with other roles than the starter when the compensated call completed. */
  readonly shapedBy: readonly Principal[];
  /** The number of times that a person has repeated it. */
  readonly takeover?: number;
}

/** A compensation that waits for its approval. */
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

/** The reason why the latest compensation waits for a person: its approval, or its unknown outcome. */
export type AwaitedPerson = AskedCompensation | UnknownCompensation;

export interface ImpossibleCompensation extends CompensatedCall {
  readonly problem: RunError;
}

/**
 * A call that was possibly executed: it has timed out, was canceled during its execution, or has no answer, and no
 * record has its outcome.
 */
export interface PossiblyExecutedCall {
  readonly key: string;
  readonly taskPath: TaskPath;
  /** The tool, function or node type. */
  readonly called: string;
  /**
   * The takeover of a call that its run left without an answer when it ended. A reopened run requests the call with the
   * same number and so does not repeat it: the ledger answers, and makes no unsafe call twice.
   */
  readonly unansweredTakeover?: number;
}

/*
 * State outlives the work behind it. A call counts as undone as soon as its run begins to end with that call to
 * compensate, whether the compensation is pending, running, done or failed. Nothing may start from a state after an
 * undone call, so every operation that continues from a state checks `includesUndoneWork`.
 */

/** The calls of a run that are undone, or about to be undone. */
export interface UndoneWork {
  /**
   * The first superstep of the run's own graph whose calls are undone. Forks continue the numbering of their parents.
   */
  readonly since: number;
  /** The nodes of these calls, `outer/inner` in a subgraph; only the first few. */
  readonly nodes: readonly string[];
}

/** The maximum of nodes that a refusal names. */
const MAX_NAMED_NODES = 10;

/** Adds compensations, earliest first, to the undone work. */
export function addUndoneWork(undone: UndoneWork | null, compensations: readonly Compensation[]): UndoneWork | null {
  const [first] = compensations;
  if (!first) return undone;
  const nodes = compensations.slice(-MAX_NAMED_NODES).map(({ task }) => taskAddress(task));
  return {
    since: Math.min(first.step, undone?.since ?? first.step),
    nodes: [...new Set([...(undone?.nodes ?? []), ...nodes])].slice(0, MAX_NAMED_NODES),
  };
}

/** True if the state at a checkpoint includes work that is undone. @param step the superstep of the checkpoint */
export function includesUndoneWork({ since }: Pick<UndoneWork, 'since'>, step: number): boolean {
  return step >= since;
}

/** Names the nodes of undone calls, for a refusal. */
export function describeUndone({ nodes }: UndoneWork): string {
  return `${nodes.join(', ')}${nodes.length === MAX_NAMED_NODES ? ' and perhaps others' : ''}`;
}

import type { ApprovalPolicy } from '../graph/definition/index.ts';
import { isUnknownOutcome } from '../graph/values/index.ts';
import type { JsonObject, RunError } from '../graph/values/index.ts';

/** The controls of runs that are offered as next actions. */
type ControlName = 'retry' | 'skip' | 'fail' | 'signal' | 'resume' | 'replan' | 'pause' | 'cancel' | 'fork';
type DecisionName = 'approve' | 'reject';

/** An action that people can take now on a run: a decision or a control, with its target. */
export interface NextAction {
  readonly action: DecisionName | ControlName;
  /** The id of the approval to decide, or of the run to control. */
  readonly target: string;
  /** The node of a control that is about a node. */
  readonly node?: string;
  /** The effect of the action, as a sentence. */
  readonly effect: string;
  /** The body of the API's request, which is also the payload of the signal and the flags of the command. */
  readonly body: JsonObject;
}

export function isDecision({ action }: NextAction): boolean {
  return action === 'approve' || action === 'reject';
}

/** The parts of an approval that decisions depend on. */
export interface DecidedApproval {
  readonly tool?: string | undefined;
  readonly policy: ApprovalPolicy;
  /** The digest of what the reader sees; `null` if parts of the content are redacted for the reader. */
  readonly digest: string | null;
}

/** The placeholder of a text that a person has to fill in. */
const TO_FILL_IN = '…';

/** Makes the two decisions of an approval. */
export function decisionsOf(target: string, { tool, policy, digest }: DecidedApproval): readonly NextAction[] {
  const subject = tool === undefined ? 'what is asked' : `the call of ${tool}`;
  const body = {
    ...(digest !== null && { digest }),
    ...(policy.requireReason === true && { reason: TO_FILL_IN }),
  };
  return [
    { action: 'approve', target, effect: `Approves ${subject}.`, body },
    { action: 'reject', target, effect: `Rejects ${subject}; the graph says what follows.`, body },
  ];
}

/** A control that settles an intervention, and its effect. */
export interface Choice {
  readonly action: 'retry' | 'skip' | 'fail';
  readonly effect: string;
}

/** Makes the control that settles an intervention. */
export function settlement(target: string, node: string, id: string, { action, effect }: Choice): NextAction {
  return { action, target, node, effect, body: { id, ...(action === 'skip' && { output: null }) } };
}

export function sendEvent(target: string, node: string, event: string): NextAction {
  return { action: 'signal', target, node, effect: `Gives the event ${event} to node ${node}.`, body: { event } };
}

/** @param checkpoint the run's current one, so that no later pause is ended; `null` if the run has not begun */
export function resume(target: string, checkpoint: string | null): NextAction {
  const body = checkpoint === null ? {} : { checkpoint };
  return { action: 'resume', target, effect: 'Goes on from the pause.', body };
}

/** The effects of the controls that depend only on the status of a run. */
const EFFECTS = {
  replan: 'Goes on at a node of yours only; what waits is given up.',
  pause: 'Stops after the superstep that runs; decisions are still taken.',
  cancel: 'Ends the run. What its graph says is to be undone is undone.',
} as const;

export function control(action: keyof typeof EFFECTS, target: string): NextAction {
  return { action, target, effect: EFFECTS[action], body: action === 'replan' ? { node: TO_FILL_IN } : {} };
}

/** Errors after which a retry only helps with higher limits. */
const OF_LIMITS: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED', 'DEADLINE_EXCEEDED', 'GRAPH_RECURSION_LIMIT']);

/** Retries a failed run. A call of unknown outcome is only repeated if its node is named. */
export function retryRun(target: string, error: RunError | null): NextAction {
  const effect = `Goes on from what has failed; finished work is kept.${error && OF_LIMITS.has(error.code) ? HIGHER : ''}`;
  const node = error && isUnknownOutcome(error) ? error.node : undefined;
  if (node === undefined) return { action: 'retry', target, effect, body: {} };
  return { action: 'retry', target, node, effect: `${effect} ${REPEATED}`, body: { node } };
}

const HIGHER = ' Give it higher `limits`, as far as its graph allows, or it fails again.';
const REPEATED = 'The call of unknown outcome is made again; it may have been made before.';

/** Continues without the node that has failed a run. */
export function skipNode(target: string, node: string): NextAction {
  const effect = `Goes on without node ${node}, with an output of yours.`;
  return { action: 'skip', target, node, effect, body: { node, output: null } };
}

/**
 * Why a failed run can't be retried. `stateless`: it was ended from outside, so it has no state to continue from.
 * `undone`: calls of it have been compensated. `inherited`: calls of a run that it continues have been compensated.
 * `several-lost`: several calls of the failed node were possibly executed, and a retry would repeat all of them.
 */
export type RetryObstacle = 'stateless' | 'undone' | 'inherited' | 'several-lost';

const FORKS: Readonly<Record<RetryObstacle, string>> = {
  stateless: 'Goes on as another run, from the last checkpoint; this one was ended without its last steps.',
  undone:
    'Goes on as another run, from the last checkpoint before the calls that were undone; this one takes no retry.',
  inherited:
    'Goes on as another run, from the last checkpoint before the calls that were undone in the run that this one goes on from; this one takes no retry.',
  'several-lost':
    'Goes on as another run, from the last checkpoint; calls after it are made again, and several of the failed node may have been made before. This one takes no retry.',
};

/** A checkpoint at which a fork may begin, of the failed run or of one that it continues. */
export interface ForkPoint {
  readonly runId: string;
  readonly checkpoint: string;
}

export function fork({ runId: target, checkpoint }: ForkPoint, obstacle: RetryObstacle): NextAction {
  return { action: 'fork', target, effect: FORKS[obstacle], body: { checkpoint } };
}

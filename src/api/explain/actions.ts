import { isTakenIn } from '../../graph/run/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import { commandsOf, control, isDecision, nextActions, whoDecides } from '../../wording/index.ts';
import type { NextAction, Reason } from '../../wording/index.ts';
import type { Explanation } from '../schemas/explanation.ts';
import type { AskedApproval, ExplanationFacts } from './reasons.ts';

type ActionName = Explanation['actions'][number];

/**
 * Lists the actions that can be taken on a run, the most relevant first. Each also names the people who may take it.
 */
export function actionsOf(facts: ExplanationFacts, reasons: readonly Reason[]): readonly ActionName[] {
  const { run, isLive, forking } = facts;
  const isWait = ({ kind }: Reason): boolean => run.waitingFor.some((one) => one.kind === kind);
  const ordered = [...reasons.filter(isWait), ...reasons.filter((reason) => !isWait(reason))];
  const taken = [
    ...ordered.filter(isPossibleAction).flatMap((reason) => nextActions(reason, run.id)),
    ...controlsOf(facts),
  ];
  const offered = forking ? taken : taken.filter(({ action }) => action !== 'fork');
  return offered.map((next) => ({
    action: next.action,
    effect: next.effect,
    ...rightTo(next, facts),
    command: commandsOf(next, isLive ? run.workflowId : null),
  }));
}

/** The people who decide an approval are only known if the approval was read. */
function isPossibleAction(reason: Reason): boolean {
  return reason.kind !== 'approval' || reason.about !== null;
}

/** Lists the controls that the run accepts in its status. */
function controlsOf({ run, obstacle }: ExplanationFacts): readonly NextAction[] {
  const mayReplan = !obstacle || obstacle.kind === 'several-lost';
  const taken = (['replan', 'pause', 'cancel'] as const).filter((name) => isTakenIn(run.status, name));
  return taken.filter((name) => name !== 'replan' || mayReplan).map((name) => control(name, run.id));
}

/** The people who may take an action, and whether the reader is one of them. */
type RequiredRight = Pick<ActionName, 'who' | 'allowed'>;

function rightTo(next: NextAction, facts: ExplanationFacts): RequiredRight {
  if (isDecision(next)) return rightToDecide(next.target, facts);
  const { permissions, gatedForReader } = facts;
  if (next.action === 'fork') return { who: 'who may edit states (state:edit)', allowed: permissions.has(FORK) };
  const { id, node } = next.body;
  const isGated =
    next.action === 'skip' && [id, node].some((key) => typeof key === 'string' && gatedForReader.has(key));
  if (isGated) return leftToDeciders(`the approvals of node ${next.node ?? ''}`);
  if (next.action === 'replan' && !mayPassApprovals(facts)) return leftToDeciders('the approvals that wait');
  return { who: CONTROLLERS, allowed: permissions.has(CONTROL) };
}

const CONTROL: Permission = 'run:control';
const FORK: Permission = 'state:edit';
const CONTROLLERS = 'who may control runs (run:control)';

function rightToDecide(approvalId: string, { approvals, permissions }: ExplanationFacts): RequiredRight {
  const asked = approvals.find(({ approval }) => approval.id === approvalId);
  return {
    who: whoDecides(asked?.approval.policy ?? {}),
    allowed: asked?.isOwn === true && permissions.has('approval:decide'),
  };
}

/** Only people who may decide the approvals that a control skips may send it. */
function leftToDeciders(decided: string): RequiredRight {
  return { who: `${CONTROLLERS} and alone decides ${decided}`, allowed: false };
}

/**
 * Approvals that need several people or a reason can't be skipped by a control, and neither can approvals that were not
 * read.
 */
function mayPassApprovals({ run, approvals }: ExplanationFacts): boolean {
  const mayPass = ({ isOwn, approval: { policy } }: AskedApproval): boolean =>
    isOwn && (policy.quorum ?? 1) === 1 && policy.requireReason !== true;
  const awaited = run.waitingFor.filter(({ kind }) => kind === 'approval');
  return awaited.length <= approvals.length && approvals.every(mayPass);
}

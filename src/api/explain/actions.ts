import { isTakenIn } from '../../graph/run/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import { commandsOf, control, isDecision, nextActions, whoDecides } from '../../wording/index.ts';
import type { Commands, NextAction, Reason } from '../../wording/index.ts';
import type { AskedApproval, Facts } from './reasons.ts';

/** What somebody can do with a run now. */
export interface Action {
  readonly action: NextAction['action'];
  /** What it does here. */
  readonly effect: string;
  readonly who: string;
  /** The reader may do it. */
  readonly allowed: boolean;
  readonly command: Commands;
}

/** Finds what can be done with a run, the nearest first. Who may not do it is told who may. */
export function actionsOf(facts: Facts, reasons: readonly Reason[]): readonly Action[] {
  const { run, isLive } = facts;
  const isWait = ({ kind }: Reason): boolean => run.waitingFor.some((one) => one.kind === kind);
  const ordered = [...reasons.filter(isWait), ...reasons.filter((reason) => !isWait(reason))];
  const offered = [...ordered.filter(isKnown).flatMap((reason) => nextActions(reason, run.id)), ...controlsOf(facts)];
  return offered.map((next) => ({
    action: next.action,
    effect: next.effect,
    ...rightTo(next, facts),
    command: commandsOf(next, isLive ? run.workflowId : null),
  }));
}

/** Of an approval that is not read, the explanation can't say who decides it. */
function isKnown(reason: Reason): boolean {
  return reason.kind !== 'approval' || reason.about !== null;
}

/** The controls that a run takes in any case. */
function controlsOf({ run, obstacle }: Facts): readonly NextAction[] {
  const mayReplan = !obstacle || obstacle.kind === 'several-lost';
  const taken = (['replan', 'pause', 'cancel'] as const).filter((name) => isTakenIn(run.status, name));
  return taken.filter((name) => name !== 'replan' || mayReplan).map((name) => control(name, run.id));
}

/** Who may do an action, and if the reader is one of them. */
type Right = Pick<Action, 'who' | 'allowed'>;

function rightTo(next: NextAction, facts: Facts): Right {
  if (isDecision(next)) return rightToDecide(next.target, facts);
  const { permissions, heldFromReader } = facts;
  if (next.action === 'fork') return { who: 'who may edit states (state:edit)', allowed: permissions.has(FORK) };
  const { id, node } = next.body;
  const isHeld = next.action === 'skip' && [id, node].some((key) => typeof key === 'string' && heldFromReader.has(key));
  if (isHeld) return leftToDeciders(`the approvals of node ${next.node ?? ''}`);
  if (next.action === 'replan' && !mayPassApprovals(facts)) return leftToDeciders('the approvals that wait');
  return { who: CONTROLLERS, allowed: permissions.has(CONTROL) };
}

const CONTROL: Permission = 'run:control';
const FORK: Permission = 'state:edit';
const CONTROLLERS = 'who may control runs (run:control)';

function rightToDecide(approvalId: string, { approvals, permissions }: Facts): Right {
  const asked = approvals.find(({ approval }) => approval.id === approvalId);
  return {
    who: whoDecides(asked?.approval.policy ?? {}),
    allowed: asked?.isOwn === true && permissions.has('approval:decide'),
  };
}

/** A control that passes approvals is left to those who decide these alone. */
function leftToDeciders(decided: string): Right {
  return { who: `${CONTROLLERS} and alone decides ${decided}`, allowed: false };
}

/** An approval of several people, or with a reason, is passed by none; nor is one that is not read. */
function mayPassApprovals({ run, approvals }: Facts): boolean {
  const mayPass = ({ isOwn, approval: { policy } }: AskedApproval): boolean =>
    isOwn && (policy.quorum ?? 1) === 1 && policy.requireReason !== true;
  const awaited = run.waitingFor.filter(({ kind }) => kind === 'approval');
  return awaited.length <= approvals.length && approvals.every(mayPass);
}

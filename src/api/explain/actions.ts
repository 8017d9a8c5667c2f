import { REDACTED } from '../../graph/redaction/index.ts';
import { isTakenIn } from '../../graph/run/index.ts';
import { whoDecides } from '../../graph/wording/index.ts';
import { curl, holdfast, temporal } from './commands.ts';
import { control, leaveToDeciders } from './control.ts';
import type { Action } from './control.ts';
import type { AskedApproval, Facts, ShownRun } from './facts.ts';
import { waysOn } from './ways-on.ts';

/** Finds what can be done with a run, the nearest first. Who may not do it is told who may. */
export function actionsOf(facts: Facts): readonly Action[] {
  const { run, approvals, onlyForked } = facts;
  const takes = (name: Parameters<typeof isTakenIn>[1]): boolean => isTakenIn(run.status, name);
  return [
    ...approvals.flatMap((asked) => decisions(facts, asked)),
    ...run.waitingFor.flatMap((waiting) => settlements(facts, waiting)),
    ...(run.status === 'failed' ? waysOn(facts) : []),
    ...(takes('resume') ? [resume(facts)] : []),
    ...(takes('replan') && !onlyForked ? [replan(facts)] : []),
    ...(takes('pause') ? [control(facts, 'pause', { effect: PAUSE, body: {} })] : []),
    ...(takes('cancel') ? [control(facts, 'cancel', { effect: CANCEL, body: {} })] : []),
  ];
}

const REPLAN = 'Goes on at a node of yours only; what waits is given up.';
const PAUSE = 'Stops after the superstep that runs; decisions are still taken.';
const CANCEL = 'Ends the run. What its graph says is to be undone is undone.';

/** It names the checkpoint: a pause that comes later is not ended by it. */
function resume(facts: Facts): Action {
  const { checkpoint } = facts;
  const named = checkpoint === null ? { body: {} } : { body: { checkpoint }, words: ['--checkpoint', checkpoint] };
  return control(facts, 'resume', { effect: 'Goes on from the pause.', ...named });
}

/** A replan passes what waits to be decided. An approval of several people, or with a reason, is passed by none. */
function replan(facts: Facts): Action {
  const action = control(facts, 'replan', { effect: REPLAN, body: { node: '…' }, words: ['…'] });
  const mayPass = ({ isOwn, approval: { policy } }: AskedApproval): boolean =>
    isOwn && (policy.quorum ?? 1) === 1 && policy.requireReason !== true;
  return facts.approvals.every(mayPass) ? action : leaveToDeciders(action, 'the approvals that wait');
}

function decisions({ run, isLive, permissions }: Facts, { approval, isOwn }: AskedApproval): readonly Action[] {
  const { id, policy, tool } = approval;
  const reason = policy.requireReason === true ? { reason: '…' } : {};
  const words = policy.requireReason === true ? ['--reason', '…'] : [];
  const common = { who: whoDecides(policy), allowed: isOwn && permissions.has('approval:decide') };
  const subject = tool === undefined ? 'what is asked' : `the call of ${tool}`;
  return (['approve', 'reject'] as const).map((action) => ({
    ...common,
    action,
    effect: action === 'approve' ? `Approves ${subject}.` : `Rejects ${subject}; the graph says what follows.`,
    command: {
      curl: curl(`/api/approvals/${id}/decision`, { decision: action, ...reason }),
      holdfast: holdfast(action, id, ...words),
      temporal: isLive ? temporal(run.workflowId, action, { approvalId: id, ...reason }) : null,
    },
  }));
}

function settlements(facts: Facts, waiting: ShownRun['waitingFor'][number]): readonly Action[] {
  if (waiting.kind === 'intervention') {
    const { id, node, choices } = waiting;
    return choices.map(({ action, effect }) => {
      const output = action === 'skip' ? { output: null } : {};
      const words = action === 'skip' ? ['--id', id, '--output', 'null'] : ['--id', id];
      const settling = control(facts, action, { effect, body: { id, ...output }, words });
      const isHeld = action === 'skip' && facts.heldFromReader.has(id);
      return isHeld ? leaveToDeciders(settling, `the approvals of node ${node}`) : settling;
    });
  }
  const { kind, id: event } = waiting;
  if (kind !== 'event' || event === undefined || event === REDACTED) return [];
  const effect = `Gives the event ${event} to node ${waiting.node}.`;
  return [control(facts, 'signal', { effect, body: { event }, words: ['--event', event], signal: 'event' })];
}

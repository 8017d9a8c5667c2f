import type { NodeOfType } from '../definition/definition.ts';
import type { Approval } from '../run/approval.ts';
import type { ApprovalPosition } from '../run/scope.ts';
import { toMs } from '../values/duration.ts';
import type { Json } from '../values/json.ts';
import { toText } from '../values/text.ts';
import { unexpected, done, failedBecause } from './behavior.ts';
import type { NodeBehavior, Progress, TaskInput, TaskContext } from './behavior.ts';
import { field } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';

/** Asks a person and waits. The answer is the result; rejection and expiry are results too unless the node says `fail`. */
export function compileApproval(node: NodeOfType<'approval'>, scope: NodeSettings): NodeBehavior {
  const title = field('title', node.title, '');
  const details = field('details', node.details, null);
  const args = field('args', node.args, null);
  const fixed = {
    argsSchema: node.argsSchema ?? null,
    decisionSchema: node.decisionSchema ?? null,
    policy: node.policy ?? {},
    timeoutMs: toMs(node.timeout ?? scope.catalog.defaults.approvalTimeout),
  };
  return {
    policy: fixed.policy,
    start(task) {
      const { bindings } = task;
      const question = {
        title: toText(title.fill(bindings)),
        details: details.fill(bindings),
        args: args.fill(bindings),
      };
      return { kind: 'open', position: { kind: 'approval', ...task.requestApproval({ ...question, ...fixed }) } };
    },
    resume(task, position, happening) {
      if (position.kind !== 'approval') throw unexpected(position);
      const onTimeout = STATUS_ON_TIMEOUT[node.onTimeout ?? 'expire'];
      return conclude(node, resumeApproval(task, { position, onTimeout }, happening));
    },
  };
}

/** How an approval counts whose time is up, by the node's `onTimeout`. */
const STATUS_ON_TIMEOUT = {
  expire: 'expired',
  reject: 'rejected',
  approve: 'approved',
  fail: 'expired',
} as const satisfies Record<NonNullable<NodeOfType<'approval'>['onTimeout']>, Approval['status']>;

function conclude(node: NodeOfType<'approval'>, approval: Approval): Progress {
  if (approval.status === 'expired' && node.onTimeout === 'fail') {
    return failedBecause('APPROVAL_EXPIRED', `Nobody decided "${approval.title}" until ${approval.expiresAt}`);
  }
  if (approval.status === 'rejected' && node.onReject === 'fail') return rejected(`"${approval.title}"`, approval);
  return done(toResult(approval));
}

function toResult({ status, args, decisions, expiresAt }: Approval): Json {
  const last = decisions.at(-1);
  if (!last) return { decision: status, args, by: null, reason: null, at: expiresAt, values: null };
  const { by, reason, at, values } = last;
  return { decision: status, args, by, reason, at, values };
}

/**
 * The approval that a task waits for, closed by what has happened.
 * @param onTimeout how it counts when its time is up
 */
export function resumeApproval(
  task: TaskContext,
  { position, onTimeout }: { readonly position: ApprovalPosition; readonly onTimeout: Approval['status'] },
  happening: TaskInput,
): Approval {
  if (happening.kind === 'timer') return task.expireApproval(position.approvalId, onTimeout);
  if (happening.kind !== 'approval.closed') throw unexpected(position);
  task.cancelTimer(position.timerId);
  return happening.approval;
}

/** @param what was rejected */
export function rejected(what: string, { decisions }: Approval): Progress {
  const reason = decisions.at(-1)?.reason;
  return failedBecause('APPROVAL_REJECTED', `${what} was rejected${reason ? `: ${reason}` : ''}`);
}

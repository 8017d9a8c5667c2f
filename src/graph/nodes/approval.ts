import type { NodeOfType } from '../definition/definition.ts';
import type { Bindings } from '../expression/names.ts';
import { closingDecision, refuseArgs } from '../run/approval.ts';
import type { ApprovalContent, Approval } from '../run/approval.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { ApprovalPosition } from '../run/scope.ts';
import { toMs } from '../values/time.ts';
import { toTemplateText } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { taskDone, taskFailed, failedBecause, unexpectedInput } from './behavior.ts';
import type { NodeBehavior, TaskProgress, TaskContext, TaskInput } from './behavior.ts';
import { parseTemplatedField } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import type { RunError } from '../values/errors.ts';

/**
 * Compiles an `approval` node, which asks a person. The decision is the result, even a rejection or an expiry, unless
 * `onReject` or `onTimeout` is `fail`.
 */
export function compileApproval(node: NodeOfType<'approval'>, settings: NodeSettings): NodeBehavior {
  const title = parseTemplatedField('title', node.title, '');
  const details = parseTemplatedField('details', node.details, null);
  const args = parseTemplatedField('args', node.args, null);
  const fixed = {
    argsSchema: node.argsSchema ?? null,
    decisionSchema: node.decisionSchema ?? null,
    policy: node.policy ?? {},
    timeoutMs: toMs(node.timeout ?? settings.catalog.defaults.approvalTimeout),
  };
  const fillQuestion = (bindings: Bindings): ApprovalContent => ({
    title: toTemplateText(title.fill(bindings)),
    details: details.fill(bindings),
    args: args.fill(bindings),
  });
  const onTimeout = STATUS_ON_TIMEOUT[node.onTimeout ?? 'expire'];
  return {
    policy: fixed.policy,
    fillQuestion,
    start(task) {
      const question = { ...fillQuestion(task.bindings), ...fixed };
      const broken = refuseArgs(question.argsSchema, question.args);
      if (broken) return failedBecause('INVALID_ARGS', brokenArgs(broken));
      return { kind: 'open', position: { kind: 'approval', ...task.requestApproval(question) } };
    },
    resume(task, position, input) {
      if (position.kind !== 'approval') throw unexpectedInput(position);
      return finishApproval(node, closeApproval(task, position, onTimeout, input));
    },
  };
}

/** Returns the text about the first argument that breaks the schema. */
function brokenArgs({ message, issues = [] }: Refusal): string {
  const [first] = issues;
  return first ? `${message}: ${first.path} ${first.message}` : message;
}

/**
 * Closes the approval that a task waits for, by the input.
 * @param onTimeout the status of the approval after its timeout
 * @returns the closed approval
 */
export function closeApproval(
  task: TaskContext,
  position: ApprovalPosition,
  onTimeout: Approval['status'],
  input: TaskInput,
): Approval {
  if (input.kind === 'timer') return task.expireApproval(position.approvalId, onTimeout);
  if (input.kind !== 'approval.closed') throw unexpectedInput(position);
  task.cancelTimer(position.timerId);
  return input.approval;
}

/** The status of an approval after its timeout, by the node's `onTimeout`. */
const STATUS_ON_TIMEOUT = {
  expire: 'expired',
  reject: 'rejected',
  approve: 'approved',
  fail: 'expired',
} as const satisfies Record<NonNullable<NodeOfType<'approval'>['onTimeout']>, Approval['status']>;

function finishApproval(node: NodeOfType<'approval'>, approval: Approval): TaskProgress {
  if (approval.status === 'expired' && node.onTimeout === 'fail') {
    return failedBecause('APPROVAL_EXPIRED', `No decision on "${approval.title}" came before ${approval.expiresAt}`);
  }
  if (approval.status === 'rejected' && node.onReject === 'fail') {
    return taskFailed({ callFailed: false, error: rejectionError(`"${approval.title}"`, approval) });
  }
  return taskDone(toDecisionResult(approval));
}

/** After a timeout, the result holds the original arguments and no person, even if some people have decided before. */
function toDecisionResult(approval: Approval): Json {
  const { status, args, expiresAt } = approval;
  const ofNobody = { by: null, reason: null, at: expiresAt, values: null };
  const { by, reason, at, values } = closingDecision(approval) ?? ofNobody;
  return { decision: status, args, by, reason, at, values };
}

/** Returns the error of a rejected approval. @param subject the beginning of its message */
function rejectionError(subject: string, approval: Approval): RunError {
  const reason = closingDecision(approval)?.reason;
  return { code: 'APPROVAL_REJECTED', message: `${subject} was rejected${reason ? `: ${reason}` : ''}` };
}

/** Returns the error of a tool call whose approval is closed; `null` if it is approved. */
export function refusedCallError(tool: string, approval: Approval): RunError | null {
  const { status, expiresAt } = approval;
  if (status === 'approved') return null;
  if (status !== 'expired') return rejectionError(`The call of ${tool}`, approval);
  return { code: 'APPROVAL_EXPIRED', message: `No decision on the call of ${tool} came before ${expiresAt}` };
}

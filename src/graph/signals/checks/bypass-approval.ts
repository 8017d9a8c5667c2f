import type { CompiledGraph } from '../../compile/compile.ts';
import type { ApprovalPolicy } from '../../definition/node-types/approval.ts';
import { mayDecide } from '../../run/approval.ts';
import { approvalsAt, tasksIn } from '../../run/position.ts';
import type { Principal } from '../../run/principal.ts';
import type { Refusal } from '../../run/refusal.ts';
import type { NodePosition, TaskState } from '../../run/scope.ts';
import { hasResumableProgress } from '../../superstep/acceptance.ts';
import type { Draft } from '../../superstep/draft.ts';
import { openTasks } from '../../superstep/frames.ts';
import type { TaskHandle } from '../../superstep/frames.ts';
import { own } from '../../values/json.ts';

/** The roles that decide if a policy names no roles and users (specification, "Who may do what"). */
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'admin']);

/**
 * Requires the right to decide from a person who bypasses an approval, also if the approval was canceled with its run
 * or task.
 * @param tasks the bypassed tasks; defaults to all of the run
 * @returns the reason for a refusal
 */
export function refuseBypass(
  draft: Draft,
  by: Principal,
  tasks: readonly TaskHandle[] = openTasks(draft),
): Refusal | null {
  const approvalIds = tasks.flatMap(({ task: { state } }) => approvalsOfTask(state));
  return firstOf(
    approvalIds.map((id) => refuseDecision(draft, own(draft.run.approvals, id) ?? droppedApproval(draft), by)),
  );
}

/** Returns the approvals requested so far by a task and the tasks inside it. */
function approvalsOfTask(state: TaskState): readonly string[] {
  if (state.phase === 'open') return approvalsOfPosition(state.position);
  return hasResumableProgress(state) ? approvalsOfPosition(state.saved) : [];
}

function approvalsOfPosition(position: NodePosition): readonly string[] {
  if (position.kind !== 'subgraph') return approvalsAt(position);
  return tasksIn(position.scope).flatMap(({ state }) => approvalsOfTask(state));
}

/** An approval that the run no longer holds counts as one with an empty policy. */
function droppedApproval({ timestamp }: Draft): Decidable {
  return { policy: {}, requestedAt: timestamp };
}

/** Requires the right to decide from a person who writes as an approval node. */
export function refuseActingAs(
  draft: Draft,
  graph: CompiledGraph,
  { node, by }: { node: string; by: Principal },
): Refusal | null {
  const policy = graph.nodes.get(node)?.behavior.policy;
  return policy ? refuseDecision(draft, { policy, requestedAt: draft.timestamp }, by) : null;
}

interface Decidable {
  readonly policy: ApprovalPolicy;
  readonly requestedAt: string;
}

function refuseDecision({ run, timestamp }: Draft, { policy, requestedAt }: Decidable, by: Principal): Refusal | null {
  const hasNoDeciders = policy.roles === undefined && policy.users === undefined;
  if (hasNoDeciders && !by.roles.some((role) => DECIDERS.has(role)))
    return { code: 'NOT_AN_APPROVER', message: 'This bypasses an approval, which only an approver may do' };
  if ((policy.quorum ?? 1) > 1 || policy.requireReason === true)
    return {
      code: 'NOT_AN_APPROVER',
      message: 'This approval needs several people or a reason, so it cannot be bypassed; decide it',
    };
  return mayDecide({ policy, requestedAt, requestedBy: run.createdBy.sub }, { by, at: timestamp });
}

function firstOf(refusals: readonly (Refusal | null)[]): Refusal | null {
  return refusals.find((refusal) => refusal !== null) ?? null;
}

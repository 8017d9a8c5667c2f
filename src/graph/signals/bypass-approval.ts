import type { CompiledGraph } from '../compile/compile.ts';
import type { ApprovalPolicy } from '../definition/definition.ts';
import { mayDecide } from '../run/approval.ts';
import { approvalsAt, tasksIn } from '../run/position.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import type { NodePosition, TaskState } from '../run/scope.ts';
import type { Draft } from '../superstep/draft.ts';
import { openTasks } from '../superstep/frames.ts';
import type { TaskHandle } from '../superstep/frames.ts';
import { own } from '../values/json.ts';

/** Who decides where a policy names nobody (specification, "Who may do what"). */
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'admin']);

/**
 * Passing over an approval that a task waits for counts as deciding it, also once it is withdrawn because the run has
 * ended, or the task has failed.
 * @param tasks that are passed over; all of the run without them
 * @returns why somebody may not
 */
export function refuseBypass(
  draft: Draft,
  by: Principal,
  tasks: readonly TaskHandle[] = openTasks(draft),
): Refusal | null {
  const asked = tasks.flatMap(({ task: { state } }) => askedBy(state));
  return firstOf(asked.map((id) => refuse(draft, own(draft.run.approvals, id) ?? forgotten(draft), by)));
}

/** The approvals that a task has asked for, and what is inside it, as far as it has come. */
function askedBy(state: TaskState): readonly string[] {
  if (state.phase === 'open') return askedAt(state.position);
  const isFailed = state.phase === 'failed' || state.phase === 'intervention';
  return isFailed && state.saved && state.saved.kind !== 'finished' ? askedAt(state.saved) : [];
}

function askedAt(position: NodePosition): readonly string[] {
  if (position.kind !== 'subgraph') return approvalsAt(position);
  return tasksIn(position.scope).flatMap(({ state }) => askedBy(state));
}

/** An approval of which the run does not know any more who may decide it. */
function forgotten({ at }: Draft): Decidable {
  return { policy: {}, requestedAt: at };
}

/** So does speaking for an approval node. */
export function refuseSpeakingFor(
  draft: Draft,
  graph: CompiledGraph,
  { node, by }: { node: string; by: Principal },
): Refusal | null {
  const policy = graph.nodes.get(node)?.behavior.policy;
  return policy ? refuse(draft, { policy, requestedAt: draft.at }, by) : null;
}

interface Decidable {
  readonly policy: ApprovalPolicy;
  readonly requestedAt: string;
}

function refuse({ run, at }: Draft, { policy, requestedAt }: Decidable, by: Principal): Refusal | null {
  const namesNobody = policy.roles === undefined && policy.users === undefined;
  if (namesNobody && !by.roles.some((role) => DECIDERS.has(role)))
    return { code: 'NOT_AN_APPROVER', message: 'This passes an approval over, which only an approver may' };
  if ((policy.quorum ?? 1) > 1 || policy.requireReason === true)
    return {
      code: 'NOT_AN_APPROVER',
      message: 'This approval takes several people or a reason: it can only be decided',
    };
  return mayDecide({ policy, requestedAt, requestedBy: run.createdBy.sub }, { by, at });
}

function firstOf(refusals: readonly (Refusal | null)[]): Refusal | null {
  return refusals.find((refusal) => refusal !== null) ?? null;
}

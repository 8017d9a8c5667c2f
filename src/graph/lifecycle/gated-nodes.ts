import { approvalGates } from '../compile/approval-gates.ts';
import type { ApprovalNode } from '../compile/approval-gates.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import type { Draft } from '../draft/draft.ts';
import { refuseDecider } from '../run/approval.ts';
import type { Approval } from '../run/approval.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/occurrence.ts';
import { editorsOf } from '../run/editors.ts';
import { deepEqual } from '../values/compare-json.ts';
import { toJson } from '../values/to-json.ts';

/*
 * The rule of gated nodes: a person who reaches a node behind an approval without its edges, or who writes a channel that
 * the approval writes, needs the right to decide that approval, regardless of its status. Every operation that could do so
 * calls one of these functions.
 */

/** A person who changes a run. */
export interface Actor {
  readonly by: Principal;
  /** RFC 3339. */
  readonly at: string;
  /** The subjects of the run's editors so far, its starter included. */
  readonly requesters: readonly string[];
  /** The approvals of the run so far. */
  readonly approvals: readonly Approval[];
}

export function toActor({ run, timestamp }: Draft, by: Principal): Actor {
  return {
    by,
    at: timestamp,
    requesters: editorsOf(run).map(({ sub }) => sub),
    approvals: Object.values(run.approvals),
  };
}

/** Refuses to go to nodes behind approvals that the person may not decide. */
export function refuseReaching(graph: CompiledGraph, nodes: readonly string[], actor: Actor): Refusal | null {
  return refuseAny(approvalGates(graph).before(nodes), actor);
}

/** Refuses to continue at an approval node: that counts as deciding it (docs/guarantees.md). */
export function refuseAsking({ nodes }: CompiledGraph, node: string, actor: Actor): Refusal | null {
  const policy = nodes.get(node)?.behavior.policy;
  return policy
    ? refuseDecider(
        { policy, requestedAt: escalationStart({ id: node, policy }, actor), requesters: actor.requesters },
        actor,
      )
    : null;
}

/** Refuses to give the result of a node that asks people, or whose inner graph always asks people. */
export function refuseActingAs(graph: CompiledGraph, node: string, actor: Actor): Refusal | null {
  return refuseAny(approvalGates(graph).within(node), actor);
}

/** Refuses to continue from nodes as if they had finished, past the approvals before them and their own. */
export function refuseArrivals(graph: CompiledGraph, nodes: readonly string[], actor: Actor): Refusal | null {
  const gates = approvalGates(graph);
  return refuseAny([...gates.before(nodes), ...nodes.flatMap((node) => gates.within(node))], actor);
}

/** Refuses to write channels that hold the decisions of approvals. */
export function refuseWriting(graph: CompiledGraph, channels: readonly string[], actor: Actor): Refusal | null {
  return refuseAny(approvalGates(graph).writing(channels), actor);
}

function refuseAny(held: readonly ApprovalNode[], actor: Actor): Refusal | null {
  for (const approval of new Set(held)) {
    const refusal = refuseDecidingAlone({ ...approval, requestedAt: escalationStart(approval, actor) }, actor);
    if (refusal) return refusal;
  }
  return null;
}

/** Returns the time from which escalation of the approval is counted. */
function escalationStart({ id, policy }: ApprovalNode, { approvals, at }: Actor): string {
  const isAsked = ({ status, node, policy: asked }: Approval): boolean =>
    status === 'pending' && node === id && deepEqual(toJson(asked), toJson(policy));
  return approvals.find(isAsked)?.requestedAt ?? at;
}

/** The parts of an approval that determine who may decide it. */
export interface Decidable {
  readonly policy: ApprovalPolicy;
  readonly requestedAt: string;
}

/** Requires the right to decide an approval alone and without a reason. @returns the reason for a refusal */
export function refuseDecidingAlone(
  { policy, requestedAt }: Decidable,
  { by, at, requesters }: Omit<Actor, 'approvals'>,
): Refusal | null {
  if ((policy.quorum ?? 1) > 1 || policy.requireReason === true)
    return {
      code: 'NOT_AN_APPROVER',
      message: 'This approval needs several people or a reason, so it cannot be bypassed; decide it',
    };
  return refuseDecider({ policy, requestedAt, requesters }, { by, at });
}

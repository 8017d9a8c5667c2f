import { mayDecide } from './approval.ts';
import type { ApprovalPolicy } from './definition.ts';
import type { Draft } from './draft.ts';
import { openTasks } from './frames.ts';
import { own } from './json.ts';
import type { CompiledGraph } from './compile.ts';
import { approvalsAt } from './nodes/position.ts';
import type { Principal, Refusal } from './run.ts';

/** Who decides where a policy names nobody (specification, "Who may do what"). */
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'admin']);

/**
 * Passing over an approval that a task waits for counts as deciding it, also once the run has ended and it is withdrawn.
 * @returns why somebody may not
 */
export function refusePassing(draft: Draft, by: Principal): Refusal | null {
  const asked = openTasks(draft).flatMap(({ task: { state } }) =>
    state.phase === 'open' ? approvalsAt(state.position) : [],
  );
  return firstOf(asked.map((id) => refuse(draft, own(draft.run.approvals, id) ?? forgotten(draft), by)));
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
  const definition = own(graph.definition.nodes, node);
  if (definition?.type !== 'approval') return null;
  return refuse(draft, { policy: definition.policy ?? {}, requestedAt: draft.at }, by);
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

import type { WaitingFor } from '../graph/journal/index.ts';
import type { Approval, OccurrenceBody, Principal } from '../graph/run/index.ts';
import type { Json, JsonObject } from '../graph/values/index.ts';

/**
 * A person's decision at a node that waits for an approval, or for an intervention after a failure. Each decision is
 * used once, in the order of the list, by the first pending item that it fits.
 */
export type Decision = DecisionOf & {
  /** The id of the waiting node; inside a subgraph, its own id. */
  readonly node: string;
  /** The tool whose call is to be approved, if several wait at one node. */
  readonly tool?: string | undefined;
  /** A name alone is a person with all roles that the approval requires; `approver` by default. */
  readonly by?: string | Principal | undefined;
  /** The time that the person takes, such as `2h`. */
  readonly after?: string | undefined;
};

type DecisionOf =
  | {
      readonly decision: 'approve';
      readonly args?: Json | undefined;
      readonly values?: Json | undefined;
      readonly reason?: string | undefined;
    }
  | { readonly decision: 'reject'; readonly values?: Json | undefined; readonly reason?: string | undefined }
  /** Nobody decides, and the approval reaches its timeout. */
  | { readonly decision: 'timeout' }
  | { readonly decision: 'retry' }
  | { readonly decision: 'skip'; readonly output?: Json | undefined }
  | { readonly decision: 'fail'; readonly reason?: string | undefined };

/** The decisions that fit each kind of pending item. */
const FITTING: Readonly<Record<'approval' | 'intervention', readonly Decision['decision'][]>> = {
  approval: ['approve', 'reject', 'timeout'],
  intervention: ['retry', 'skip', 'fail'],
};

/** A pending item that waits for a person; `approval` is set for approvals. */
export interface PendingQuestion {
  readonly waiting: WaitingFor;
  readonly approval: Approval | null;
}

/** True if the decision can answer the question. */
export function answersQuestion({ node, tool, decision }: Decision, { waiting, approval }: PendingQuestion): boolean {
  if (waiting.kind !== 'approval' && waiting.kind !== 'intervention') return false;
  const waitingTool = waiting.kind === 'intervention' ? waiting.tool : approval?.tool;
  return (
    FITTING[waiting.kind].includes(decision) && node === waiting.node && (tool === undefined || tool === waitingTool)
  );
}

/** Converts a decision to the signal that the API would send; `null` for a timeout. */
export function toDecisionSignal(decided: Decision, { waiting, approval }: PendingQuestion): OccurrenceBody | null {
  if (decided.decision === 'timeout') return null;
  const { decision, node: _node, tool: _tool, by = 'approver', after: _after, ...content } = decided;
  const roles = approval?.policy.roles ?? ['approver'];
  const person: JsonObject = typeof by === 'string' ? { sub: by, roles } : { sub: by.sub, roles: by.roles };
  const about = waiting.kind === 'approval' ? { approvalId: waiting.id ?? '' } : { id: waiting.id ?? '' };
  const fields = Object.entries(content).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, value] as const],
  );
  return { kind: 'signal', name: decision, payload: { ...Object.fromEntries(fields), ...about, by: person } };
}

/**
 * The run needs an answer that the test does not contain. `runGraph` throws this error, however the graph handles
 * failures.
 */
export class MissingAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MissingAnswerError';
  }
}

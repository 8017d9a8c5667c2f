import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import { toMs } from '../values/time.ts';
import { toPointer } from '../values/json-pointer.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import { deepEqual, canonicalJson } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { TaskPath } from './ids.ts';
import { hasPermission } from './principal.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './occurrence.ts';
import { priceOfText, spend } from '../values/meter.ts';

/** A question to a person, as the API lists it. */
export interface Approval extends Shown {
  readonly id: string;
  readonly runId: string;
  readonly node: string;
  /** The arguments to approve, with the edits made so far. */
  readonly args: Json;
  /** The digest of what the approval shows now. */
  readonly digest: string;
  readonly argsSchema: JsonSchema | null;
  readonly decisionSchema: JsonSchema | null;
  readonly policy: ApprovalPolicy;
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired' | 'canceled';
  readonly decisions: readonly Decision[];
  /** How often it was given to others; absent: never. */
  readonly reassigned?: number;
  /** The same question asked before without a yes, oldest first. */
  readonly previous: readonly EarlierApproval[];
  readonly tool?: string;
  /** The subject who started the run. */
  readonly requestedBy: string;
  /** The subjects who had shaped the run when it asked, its starter included. */
  readonly requesters: readonly string[];
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** The node task that waits for it. */
  readonly task: TaskPath;
  /** The digest of the question as the node asked it, without a fork's details or edited arguments. */
  readonly asked: string;
  /** The arguments as the node asked for them; absent: no decision has brought others. */
  readonly askedArgs?: Json;
}

/** A closed approval of the same question. */
export interface EarlierApproval extends Pick<Approval, 'id' | 'status'> {
  readonly decisions: readonly Omit<Decision, 'args' | 'values'>[];
}

export interface Decision {
  readonly by: string;
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  readonly at: string;
  readonly args: Json;
  readonly values: Json;
}

/** A person's decision as sent; `args` and `values` are `undefined` where they are absent (`null` is a value). */
export interface DecisionRequest {
  /** Absent: the first approval of the run. */
  readonly approvalId?: string | undefined;
  readonly decision: 'approve' | 'reject';
  readonly by: Principal;
  /** The time at which it was made, by which it is judged. */
  readonly at: string;
  readonly reason?: string | undefined;
  readonly args?: Json | undefined;
  readonly values?: Json | undefined;
  /** The digests of which the approval must have one; absent: it may have any. */
  readonly digests?: readonly string[] | undefined;
}

export type DecisionResult =
  | { readonly approval: Approval; readonly decision: Decision }
  | { readonly refusal: Refusal };

/**
 * Applies a decision to an approval: one rejection decides, approvals count towards the quorum. An approval with edited
 * arguments restarts the count, as the earlier ones approved other arguments; their authors may decide anew.
 * @returns the changed approval, or the reason for the refusal
 */
export function decide(approval: Approval, request: DecisionRequest): DecisionResult {
  const refusal = refuseDecision(approval, request);
  if (refusal) return { refusal };
  const args = request.args === undefined ? approval.args : request.args;
  const decision: Decision = {
    by: request.by.sub,
    decision: request.decision,
    reason: request.reason ?? null,
    at: request.at,
    args,
    values: request.values ?? null,
  };
  const decisions = [...approval.decisions, decision];
  const { askedArgs = approval.args } = approval;
  const edit = request.args === undefined ? {} : { args, askedArgs, digest: digestOf({ ...approval, args }) };
  return { approval: { ...approval, ...edit, decisions, status: statusAfter(approval, decisions) }, decision };
}

/** As `decide`, without the work for the changed approval. @returns `null` if the decision counts */
export function refuseDecision(approval: Approval, request: DecisionRequest): Refusal | null {
  return (
    refuseDecider(approval, request) ??
    refusalByStatus(approval) ??
    refusalWhilePending(approval, request) ??
    refusalByDigest(approval, request) ??
    refusalByContent(approval, request)
  );
}

/** Closes an approval whose timeout is over. What people have proposed alone counts for nothing: it is about what was asked. */
export function expire(approval: Approval, status: Approval['status']): Approval {
  const { askedArgs: args } = approval;
  if (args === undefined) return { ...approval, status };
  return { ...approval, args, digest: digestOf({ ...approval, args }), status };
}

/** Returns the decision that has closed an approval; `undefined`: none has, as its timeout decided or it was canceled. */
export function closingDecision(approval: Pick<Approval, 'status' | 'policy' | 'decisions'>): Decision | undefined {
  const { status, decisions } = approval;
  return statusAfter(approval, decisions) === status ? decisions.at(-1) : undefined;
}

function statusAfter({ policy }: Pick<Approval, 'policy'>, decisions: readonly Decision[]): Approval['status'] {
  if (decisions.at(-1)?.decision === 'reject') return 'rejected';
  return decisionsThatCount(decisions).length >= (policy.quorum ?? 1) ? 'approved' : 'pending';
}

/** Returns the decisions since the arguments were edited last. Earlier ones are void: they were about others. */
export function decisionsThatCount(decisions: readonly Decision[]): readonly Decision[] {
  const args = decisions.at(-1)?.args ?? null;
  return decisions.slice(decisions.findLastIndex((decision) => !deepEqual(decision.args, args)) + 1);
}

/** Refuses a person who may not decide, by the policy. @returns `null` if the person may */
export function refuseDecider(
  { policy, requestedAt, requesters }: Pick<Approval, 'policy' | 'requestedAt' | 'requesters'>,
  { by, at }: Pick<DecisionRequest, 'by' | 'at'>,
): Refusal | null {
  if (policy.excludeRequester === true && requesters.includes(by.sub)) {
    return { code: 'NOT_AN_APPROVER', message: 'Who started or changed the run may not decide this approval' };
  }
  if (policy.roles === undefined && policy.users === undefined) return refuseNonApprover(by);
  const waitedMs = Date.parse(at) - Date.parse(requestedAt);
  const escalated = (policy.escalate ?? [])
    .filter(({ after }) => toMs(after) <= waitedMs)
    .flatMap(({ roles }) => roles);
  const roles = [...(policy.roles ?? []), ...escalated];
  const users = policy.users ?? [];
  if (users.includes(by.sub) || roles.some((role) => by.roles.includes(role))) return null;
  const allowed = [...roles.map((role) => `role ${role}`), ...users.map((user) => `user ${user}`)].join(', ');
  return { code: 'NOT_AN_APPROVER', message: `This approval is decided by: ${allowed}` };
}

/** True if an approval is pending for a person: its policy lets them decide it, and they have not decided it. */
export function isPendingFor(approval: Approval, who: Pick<DecisionRequest, 'by' | 'at'>): boolean {
  return (refuseDecider(approval, who) ?? refusalByStatus(approval) ?? refusalWhilePending(approval, who)) === null;
}

/** Tells what has become of an approval. @returns `null` while it is pending */
export function refusalByStatus(approval: Approval): Refusal | null {
  const last = closingDecision(approval);
  switch (approval.status) {
    case 'approved':
    case 'rejected':
      return {
        code: 'ALREADY_DECIDED',
        message: `Already ${approval.status}${last ? ` by ${last.by} at ${last.at}` : ' by its timeout'}`,
      };
    case 'expired':
      return refusalOfExpired(approval);
    case 'canceled':
      return { code: 'APPROVAL_CANCELED', message: 'The approval was canceled, with its run or by a change of it' };
    case 'pending':
      return null;
  }
}

function refusalOfExpired({ expiresAt }: Approval): Refusal {
  return { code: 'APPROVAL_EXPIRED', message: `The approval expired at ${expiresAt}` };
}

/** The time of a decision counts, not that at which the timer of the approval is heard of. */
function refusalWhilePending(approval: Approval, { by, at }: Pick<DecisionRequest, 'by' | 'at'>): Refusal | null {
  if (Date.parse(at) >= Date.parse(approval.expiresAt)) return refusalOfExpired(approval);
  const own = decisionsThatCount(approval.decisions).find((decision) => decision.by === by.sub);
  return own
    ? { code: 'ALREADY_DECIDED', message: `${own.by} decided already, at ${own.at}; a quorum needs different people` }
    : null;
}

function refusalByDigest({ digest }: Approval, { digests }: DecisionRequest): Refusal | null {
  if (digests === undefined || digests.includes(digest)) return null;
  return { code: 'APPROVAL_CHANGED', message: 'The approval shows something else by now; look at it again' };
}

/** Each edit lets everyone decide once more, so their number has a limit. */
const MAX_EDITS = 20;

function refusalOfEdit({ args: shown, decisions }: Approval, args: Json | undefined): Refusal | null {
  if (args === undefined || deepEqual(args, shown)) return null;
  const edits = decisions.filter((one, at) => at > 0 && !deepEqual(one.args, decisions[at - 1]?.args ?? null));
  if (edits.length < MAX_EDITS) return null;
  const message = `The arguments have been edited ${MAX_EDITS} times; approve them as they are, or reject them`;
  return { code: 'INVALID_ARGS', message, issues: [{ path: '/args', message }] };
}

/** A reason has a letter or a digit; a placeholder such as `…` has none. */
const WORDS = /[\p{L}\p{N}]/u;

function refusalByContent(approval: Approval, { decision, reason, args, values }: DecisionRequest): Refusal | null {
  if (approval.policy.requireReason === true && !WORDS.test(reason ?? '')) {
    return {
      code: 'REASON_REQUIRED',
      message: 'This approval needs a reason',
      issues: [{ path: '/reason', message: 'A reason is required, in words' }],
    };
  }
  const { argsSchema, decisionSchema } = approval;
  // A rejection needs no values; what it says is kept, and may be written.
  const isRejection = decision === 'reject';
  const noValues = isRejection ? undefined : {};
  return (
    (isRejection ? null : refusalOfEdit(approval, args)) ??
    refuseArgs(argsSchema, args) ??
    violation('INVALID_VALUES', { schema: decisionSchema, value: values ?? noValues, field: 'values' })
  );
}

/**
 * Refuses arguments that break their schema. It holds for those that are asked about, too, which are checked before
 * anybody is asked: so neither a person nor a timeout approves others.
 */
export function refuseArgs(schema: JsonSchema | null, args: Json | undefined): Refusal | null {
  return violation('INVALID_ARGS', { schema, value: args, field: 'args' });
}

function violation(
  code: 'INVALID_ARGS' | 'INVALID_VALUES',
  { schema, value, field }: { schema: JsonSchema | null; value: Json | undefined; field: string },
): Refusal | null {
  if (schema === null || value === undefined) return null;
  const issues = compileJsonSchema(schema)(value).map(({ path, message }) => ({
    path: toPointer([field]) + path,
    message,
  }));
  return issues.length > 0 ? { code, message: `The ${field} break their schema`, issues } : null;
}

/** What an approval shows to the people who decide it. */
export interface Shown {
  readonly title: string;
  readonly details: Json;
  readonly args: Json;
}

/**
 * Returns the SHA-256, in hex, of what an approval shows, as canonical JSON (RFC 8785). A byte costs twice as much as that
 * of a text that is only written.
 */
export function digestOf({ title, details, args }: Shown): string {
  const bytes = new TextEncoder().encode(canonicalJson({ title, details, args }));
  spend(priceOfText(bytes));
  return bytesToHex(sha256(bytes));
}

/** An approval as the API shows it, without what only the interpreter reads. */
export type PublicApproval = Omit<Approval, 'task' | 'asked' | 'askedArgs' | 'requesters'>;

export function toPublicApproval({
  task: _task,
  asked: _asked,
  askedArgs: _askedArgs,
  requesters: _requesters,
  ...approval
}: Approval): PublicApproval {
  return approval;
}

/** How far an approval is. */
export interface QuorumProgress {
  /** So many people have to approve. */
  readonly needed: number;
  /** Who has approved what stands to be decided now, the first one first. */
  readonly by: readonly string[];
}

/** Counts the approvals that count towards the quorum: none once a timeout has decided, or the approval was canceled. */
export function quorumProgressOf(approval: Pick<Approval, 'status' | 'policy' | 'decisions'>): QuorumProgress {
  const { status, policy, decisions } = approval;
  const isOpen = status === 'pending' || closingDecision(approval) !== undefined;
  const approvals = (isOpen ? decisionsThatCount(decisions) : []).filter(({ decision }) => decision === 'approve');
  return { needed: policy.quorum ?? 1, by: approvals.map(({ by }) => by) };
}

/**
 * Refuses a person without the permission to decide.
 * @returns `null`: they may decide an approval whose policy names nobody
 */
function refuseNonApprover(by: Principal): Refusal | null {
  if (hasPermission(by, 'approval:decide')) return null;
  return { code: 'NOT_AN_APPROVER', message: 'Only an approver may decide this approval' };
}

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import { toMs } from '../values/time.ts';
import { toPointer } from '../values/json-pointer.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import { deepEqual, canonicalJson } from '../values/compare-json.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import type { TaskPath } from './ids.ts';
import { hasPermission } from './principal.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './occurrence.ts';
import { priceOfLength, spendUnits } from '../values/meter.ts';

/** A request for a person's decision, as the API lists it. */
export interface Approval extends ApprovalContent {
  readonly id: string;
  readonly runId: string;
  readonly node: string;
  /** The arguments to approve, with the edits made so far. */
  readonly args: Json;
  /** The digest of the approval's current content. */
  readonly digest: string;
  readonly argsSchema: JsonSchema | null;
  /** The names of arguments that the definition fixes: no decision may change them. Absent if there are none. */
  readonly fixedArgs?: readonly string[];
  readonly decisionSchema: JsonSchema | null;
  readonly policy: ApprovalPolicy;
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired' | 'canceled';
  readonly decisions: readonly Decision[];
  /** The number of times it was reassigned; absent for none. */
  readonly reassigned?: number;
  /** Earlier closed approvals of the same question without a yes, oldest first. */
  readonly previous: readonly EarlierApproval[];
  readonly tool?: string;
  /** The subject who started the run. */
  readonly requestedBy: string;
  /** The subjects of the run's editors at the time of the request, its starter included. */
  readonly requesters: readonly string[];
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** The node task that waits for it. */
  readonly task: TaskPath;
  /** The digest of the original question, without a fork's details or edited arguments. */
  readonly asked: string;
  /** The original arguments; absent if no decision has changed them. */
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

/** A person's decision as sent. `args` and `values` are `undefined` if absent, because `null` is a value. */
export interface DecisionRequest {
  /** Absent for the first approval of the run. */
  readonly approvalId?: string | undefined;
  readonly decision: 'approve' | 'reject';
  readonly by: Principal;
  /** The time of the decision, which the deadline and the policy are checked against. */
  readonly at: string;
  readonly reason?: string | undefined;
  readonly args?: Json | undefined;
  readonly values?: Json | undefined;
  /** The accepted digests of the approval's content; absent if any is accepted. */
  readonly digests?: readonly string[] | undefined;
}

export type DecisionResult =
  | { readonly approval: Approval; readonly decision: Decision }
  | { readonly refusal: Refusal };

/**
 * Applies a decision to an approval. One rejection decides; approvals count towards the quorum. An approval with edited
 * arguments restarts the count, because the earlier ones approved other arguments; their authors may decide again.
 * @returns the changed approval, or the reason for the refusal
 */
export function applyDecision(approval: Approval, request: DecisionRequest): DecisionResult {
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
  const edit = request.args === undefined ? {} : { args, askedArgs, digest: approvalDigest({ ...approval, args }) };
  return { approval: { ...approval, ...edit, decisions, status: statusAfterDecisions(approval, decisions) }, decision };
}

/** Like `applyDecision`, but does not compute the changed approval. @returns `null` if the decision counts */
export function refuseDecision(approval: Approval, request: DecisionRequest): Refusal | null {
  return (
    refuseDecider(approval, request) ??
    refusalByStatus(approval) ??
    refusalWhilePending(approval, request) ??
    refusalByDigest(approval, request) ??
    refusalByContent(approval, request)
  );
}

/** Closes an approval after its timeout, with its original arguments. Edits that were only proposed are dropped. */
export function closeOverdueApproval(approval: Approval, status: Approval['status']): Approval {
  const { askedArgs: args } = approval;
  if (args === undefined) return { ...approval, status };
  return { ...approval, args, digest: approvalDigest({ ...approval, args }), status };
}

/**
 * Returns the decision that closed an approval; `undefined` if its timeout closed it, or it was canceled or is pending.
 */
export function closingDecision(approval: Pick<Approval, 'status' | 'policy' | 'decisions'>): Decision | undefined {
  const { status, decisions } = approval;
  return statusAfterDecisions(approval, decisions) === status ? decisions.at(-1) : undefined;
}

function statusAfterDecisions(
  { policy }: Pick<Approval, 'policy'>,
  decisions: readonly Decision[],
): Approval['status'] {
  if (decisions.at(-1)?.decision === 'reject') return 'rejected';
  return decisionsThatCount(decisions).length >= (policy.quorum ?? 1) ? 'approved' : 'pending';
}

/**
 * Returns the decisions since the last edit of the arguments. Earlier ones are void, because they were about other
 * arguments.
 */
export function decisionsThatCount(decisions: readonly Decision[]): readonly Decision[] {
  const args = decisions.at(-1)?.args ?? null;
  return decisions.slice(decisions.findLastIndex((decision) => !deepEqual(decision.args, args)) + 1);
}

/** Refuses a person whom the policy does not allow to decide. @returns `null` if the person may decide */
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

/** True if an approval is pending for a person: the policy allows their decision, and they have not decided yet. */
export function isPendingFor(approval: Approval, who: Pick<DecisionRequest, 'by' | 'at'>): boolean {
  return (refuseDecider(approval, who) ?? refusalByStatus(approval) ?? refusalWhilePending(approval, who)) === null;
}

/** Refuses a decision on an approval that is no longer pending. @returns `null` while it is pending */
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

/** The time of the decision counts, not the time at which the approval's timer is processed. */
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

/** Limit of edits, because each edit lets everyone decide once more. */
const MAX_EDITS = 20;

function refusalOfEdit({ args: current, decisions }: Approval, args: Json | undefined): Refusal | null {
  if (args === undefined || deepEqual(args, current)) return null;
  const edits = decisions.filter((one, at) => at > 0 && !deepEqual(one.args, decisions[at - 1]?.args ?? null));
  if (edits.length < MAX_EDITS) return null;
  const message = `The arguments have been edited ${MAX_EDITS} times; approve them as they are, or reject them`;
  return { code: 'INVALID_ARGS', message, issues: [{ path: '/args', message }] };
}

/** Refuses other values for arguments that the definition fixes. */
function refusalOfFixed({ args: current, fixedArgs = [] }: Approval, args: Json | undefined): Refusal | null {
  if (args === undefined) return null;
  const valueOf = (value: Json, name: string): Json | undefined => (isJsonObject(value) ? own(value, name) : undefined);
  const changed = fixedArgs.filter((name) => !isSameValue(valueOf(args, name), valueOf(current, name)));
  if (changed.length === 0) return null;
  const issues = changed.map((name) => ({ path: toPointer(['args', name]), message: 'The graph fixes this argument' }));
  return { code: 'INVALID_ARGS', message: `The graph fixes ${changed.join(', ')}; nobody may change it`, issues };
}

function isSameValue(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : deepEqual(one, other);
}

/** A reason must have a letter or a digit. A placeholder such as `…` has none. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

function refusalByContent(approval: Approval, { decision, reason, args, values }: DecisionRequest): Refusal | null {
  if (approval.policy.requireReason === true && !LETTER_OR_DIGIT.test(reason ?? '')) {
    return {
      code: 'REASON_REQUIRED',
      message: 'This approval needs a reason',
      issues: [{ path: '/reason', message: 'A reason is required, in words' }],
    };
  }
  const { argsSchema, decisionSchema } = approval;
  // A rejection needs no values. Given values are stored and may be written.
  const isRejection = decision === 'reject';
  const noValues = isRejection ? undefined : {};
  return (
    (isRejection ? null : refusalOfEdit(approval, args)) ??
    refusalOfFixed(approval, args) ??
    refuseArgs(argsSchema, args) ??
    schemaRefusal('INVALID_VALUES', 'values', decisionSchema, values ?? noValues)
  );
}

/**
 * Refuses arguments that break their schema. They are also checked before the request, so that neither a person nor a
 * timeout approves invalid ones.
 */
export function refuseArgs(schema: JsonSchema | null, args: Json | undefined): Refusal | null {
  return schemaRefusal('INVALID_ARGS', 'args', schema, args);
}

function schemaRefusal(
  code: 'INVALID_ARGS' | 'INVALID_VALUES',
  field: string,
  schema: JsonSchema | null,
  value: Json | undefined,
): Refusal | null {
  if (schema === null || value === undefined) return null;
  const issues = compileJsonSchema(schema)(value).map(({ path, message }) => ({
    path: toPointer([field]) + path,
    message,
  }));
  return issues.length > 0 ? { code, message: `The ${field} break their schema`, issues } : null;
}

/** The content of an approval that deciders see. */
export interface ApprovalContent {
  readonly title: string;
  readonly details: Json;
  readonly args: Json;
}

/**
 * Returns the SHA-256, in hex, of the approval's content as canonical JSON (RFC 8785). Each byte costs twice as much as
 * when a text is only written.
 */
export function approvalDigest({ title, details, args }: ApprovalContent): string {
  const bytes = new TextEncoder().encode(canonicalJson({ title, details, args }));
  spendUnits(priceOfLength(bytes.length));
  return bytesToHex(sha256(bytes));
}

/** An approval as the API returns it, without the fields for the interpreter. */
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

/** The progress of an approval. */
export interface QuorumProgress {
  /** The number of approvals needed. */
  readonly needed: number;
  /** The people who have approved the current content, in order. */
  readonly by: readonly string[];
}

/**
 * Returns the approvals that count towards the quorum: none after a timeout has decided, or the approval was canceled.
 */
export function quorumProgressOf(approval: Pick<Approval, 'status' | 'policy' | 'decisions'>): QuorumProgress {
  const { status, policy, decisions } = approval;
  const isOpen = status === 'pending' || closingDecision(approval) !== undefined;
  const approvals = (isOpen ? decisionsThatCount(decisions) : []).filter(({ decision }) => decision === 'approve');
  return { needed: policy.quorum ?? 1, by: approvals.map(({ by }) => by) };
}

/**
 * Refuses a person without the permission to decide.
 * @returns `null` if they may decide an approval whose policy names nobody
 */
function refuseNonApprover(by: Principal): Refusal | null {
  if (hasPermission(by, 'approval:decide')) return null;
  return { code: 'NOT_AN_APPROVER', message: 'Only an approver may decide this approval' };
}

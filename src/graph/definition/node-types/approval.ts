import type { JsonSchema } from '../../values/json-schema.ts';
import type { Json } from '../../values/json.ts';
import type { CommonFields } from '../common-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export interface ApprovalFields extends CommonFields {
  /** A template: the question to the person. */
  readonly title: string;
  /** Templates, at any depth: facts for the person who decides. */
  readonly details?: Json;
  /** Templates, at any depth: what is approved. The person may change it. */
  readonly args?: Json;
  /** JSON Schema of `args`: of those that are asked about, which fail the node if they break it, and of changed ones. */
  readonly argsSchema?: JsonSchema;
  /** JSON Schema of the values that a decision must bring. */
  readonly decisionSchema?: JsonSchema;
  /** The people who may decide, and the number of approvals. */
  readonly policy?: ApprovalPolicy;
  /** The time that people have to decide; "7d" by default. */
  readonly timeout?: string;
  /** What no decision in time means; "expire" by default. "fail" is the failure of the node. */
  readonly onTimeout?: 'expire' | 'reject' | 'approve' | 'fail';
  /** "continue" by default: the result says `rejected`. "fail" is the failure of the node. */
  readonly onReject?: 'continue' | 'fail';
}

/** The people who may decide, how many must approve, and who may decide later. */
export interface ApprovalPolicy {
  /** The roles of which a person needs one. Without roles and users, the permission `approval:decide` is enough. */
  readonly roles?: readonly string[] | undefined;
  /** The people who may decide, whatever their roles. */
  readonly users?: readonly string[] | undefined;
  /** The number of approvals that are needed; 1 by default. One rejection decides. */
  readonly quorum?: number | undefined;
  /** True: the person who started or changed the run may not decide. */
  readonly excludeRequester?: boolean | undefined;
  /** True: a decision needs a reason, in words. */
  readonly requireReason?: boolean | undefined;
  /** The times after which webhooks are told of `approval.reminder`, unless it is decided. */
  readonly reminders?: readonly string[] | undefined;
  /** Roles that may decide after some time; webhooks are told of `approval.escalated` then. */
  readonly escalate?: readonly { readonly after: string; readonly roles: readonly string[] }[] | undefined;
}

export const approvalNodeType: DescriptionOf<ApprovalFields> = {
  summary: 'Waits for a person to decide. Result: { decision, args, by, reason, at, values }.',
  templates: ['title', 'details', 'args'],
  carries: { args: ['args'] },
  visible: { words: ['title', 'details'], args: ['args'] },
  schemas: ['argsSchema', 'decisionSchema'],
  onReject: 'onReject',
  mayWait: true,
  isDecision: true,
  look: { outline: 'hexagon', fill: 'FBE9EC' },
};

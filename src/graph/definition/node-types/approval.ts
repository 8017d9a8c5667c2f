import type { JsonSchema } from '../../values/json-schema.ts';
import type { Json } from '../../values/json.ts';
import type { CommonFields } from '../common-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export interface ApprovalFields extends CommonFields {
  readonly title: string;
  readonly details?: Json;
  readonly args?: Json;
  readonly argsSchema?: JsonSchema;
  readonly decisionSchema?: JsonSchema;
  readonly policy?: ApprovalPolicy;
  readonly timeout?: string;
  readonly onTimeout?: 'expire' | 'reject' | 'approve' | 'fail';
  readonly onReject?: 'continue' | 'fail';
}

/** The people who may decide, how many must approve, and who may decide later. `reminders` are kept, and sent nowhere. */
export interface ApprovalPolicy {
  readonly roles?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
  readonly quorum?: number | undefined;
  readonly excludeRequester?: boolean | undefined;
  readonly requireReason?: boolean | undefined;
  readonly reminders?: readonly string[] | undefined;
  readonly escalate?: readonly { readonly after: string; readonly roles: readonly string[] }[] | undefined;
}

export const approval: DescriptionOf<ApprovalFields> = {
  summary: 'Waits for a person to decide. Result: { decision, args, by, reason, at, values }.',
  templates: ['title', 'details', 'args'],
  carries: { args: ['args'] },
  shown: { words: ['title', 'details'], args: ['args'] },
  schemas: ['argsSchema', 'decisionSchema'],
  onReject: 'onReject',
  mayWait: true,
  look: { outline: 'hexagon', fill: 'FBE9EC' },
};

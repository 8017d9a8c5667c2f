import { reassign } from '../run/approvals/reassign.ts';
import { emitOnApproval, findApproval, toResult } from './checks/on-approval.ts';
import { refused, taken, textsOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** The names that one reassignment takes, and the length of each. */
const MAX_NAMES = 20;
const MAX_NAME = 255;

const NAMES = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  maxItems: MAX_NAMES,
} as const;

/** Gives a pending approval to other people. What it asks, and the decisions so far, stay. */
export const reassignSignal: SignalKind = {
  description: 'Give a pending approval to others: {"approvalId"?, "roles"?, "users"?}',
  properties: { approvalId: { type: 'string' }, roles: NAMES, users: NAMES },
  alsoTaken: 'asking',
  handle(draft, { payload, by }) {
    const approval = findApproval(draft, payload);
    if ('code' in approval) return refused(approval);
    const to = { roles: textsOf(payload, 'roles') ?? [], users: textsOf(payload, 'users') ?? [] };
    const result = reassign(approval, { to, by, at: draft.timestamp });
    if ('refusal' in result) return refused(result.refusal);
    const { approval: changed } = result;
    draft.saveApproval(changed);
    const { roles = [], users = [] } = approval.policy;
    emitOnApproval(draft, changed, {
      type: 'approval.reassigned',
      approvalId: changed.id,
      by: by.sub,
      from: { roles, users },
      to,
    });
    return taken(toResult(changed));
  },
};

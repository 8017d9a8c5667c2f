import type { ApprovalPolicy } from '../definition/node-types/approval.ts';

/** Names the people of a policy, such as `2 people of approver or ann (after 1d also lead)`. */
export function whoDecides({ roles = [], users = [], quorum = 1, escalate = [] }: ApprovalPolicy): string {
  const named = [...roles, ...users].join(' or ') || 'anybody who may decide';
  const many = quorum > 1 ? `${quorum} people of ${named}` : named;
  const later = escalate.map(({ after, roles: others }) => `after ${after} also ${others.join(' or ')}`);
  return later.length > 0 ? `${many} (${later.join(', ')})` : many;
}

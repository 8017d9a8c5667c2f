import type { ApprovalPolicy } from '../definition/node-types/approval.ts';

/** Names the people of a policy, such as `2 people of approver or ann (after 1d also lead), but not who has asked`. */
export function whoDecides(policy: ApprovalPolicy): string {
  const { roles = [], users = [], quorum = 1, escalate = [], excludeRequester = false } = policy;
  const named = [...roles, ...users].join(' or ') || 'anybody who may decide';
  const many = quorum > 1 ? `${quorum} people of ${named}` : named;
  const later = escalate.map(({ after, roles: others }) => `after ${after} also ${others.join(' or ')}`);
  const who = later.length > 0 ? `${many} (${later.join(', ')})` : many;
  return excludeRequester ? `${who}, but not who has asked` : who;
}

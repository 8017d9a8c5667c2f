import type { Approval } from './approval.ts';

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

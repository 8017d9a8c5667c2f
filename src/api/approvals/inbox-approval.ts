import type { Redaction } from '../../graph/redaction/index.ts';
import { quorumProgressOf } from '../../graph/run/index.ts';
import type { Approval, PublicApproval, QuorumProgress } from '../../graph/run/index.ts';
import { whoDecides } from '../../graph/wording/index.ts';
import type { Seals } from '../http/seals.ts';
import { shownApproval } from '../redaction/shown-approval.ts';

/** An approval with what its policy means for people. */
export interface InboxApproval extends PublicApproval {
  /** Who may decide it, in words. */
  readonly who: string;
  readonly progress: QuorumProgress;
}

/** Shows an approval without what is hidden. Its progress counts what is hidden, too. */
export function toInboxApproval(approval: Approval, hidden: Redaction, seals: Seals): InboxApproval {
  return {
    ...shownApproval(approval, hidden, seals),
    who: whoDecides(approval.policy),
    progress: quorumProgressOf(approval),
  };
}

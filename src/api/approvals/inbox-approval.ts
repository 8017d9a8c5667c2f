import { hideAskedArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { quorumProgressOf } from '../../graph/run/index.ts';
import type { PublicApproval, QuorumProgress } from '../../graph/run/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import { whoDecides } from '../../graph/wording/index.ts';
import type { Seals } from '../http/seals.ts';
import { shownApproval } from '../redaction/shown-approval.ts';

/** An approval with what its policy means for people. */
export interface InboxApproval extends PublicApproval {
  /** Who may decide it, in words. */
  readonly who: string;
  readonly progress: QuorumProgress;
  /** The arguments as they were asked for; absent: no decision has brought others. */
  readonly askedArgs?: Json;
  readonly graph?: string;
  readonly closedAt?: string;
}

/** Shows an approval without what is hidden. Its progress counts what is hidden, too. */
export function toInboxApproval(approval: KnownApproval, hidden: Redaction, seals: Seals): InboxApproval {
  const askedArgs = hideAskedArgs(approval, hidden);
  return {
    ...shownApproval(approval, hidden, seals),
    who: whoDecides(approval.policy),
    progress: quorumProgressOf(approval),
    ...(askedArgs !== undefined && { askedArgs }),
  };
}

import { hideAskedArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { quorumProgressOf } from '../../graph/run/index.ts';
import type { PublicApproval, QuorumProgress } from '../../graph/run/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { NO_NOTES } from '../../store/approval-notes.ts';
import type { Notes } from '../../store/approval-notes.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import { whoDecides } from '../../wording/index.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { redactApproval, hiddenFrom } from '../redaction.ts';
import type { ApprovalOfRun } from './find-approval.ts';

/** An approval with its policy as text, and its progress. */
export interface InboxApproval extends PublicApproval {
  /** The people who may decide it, formatted as text. */
  readonly who: string;
  readonly progress: QuorumProgress;
  /** The original arguments that the node requested; absent while no decision has edited them. */
  readonly askedArgs?: Json;
  readonly graph?: string;
  readonly closedAt?: string;
}

/** Builds the redacted inbox view of an approval. Its progress also counts decisions that are hidden. */
export function toInboxApproval(approval: KnownApproval, hidden: Redaction, fingerprints: Fingerprints): InboxApproval {
  const askedArgs = hideAskedArgs(approval, hidden);
  return {
    ...redactApproval(approval, hidden, fingerprints),
    who: whoDecides(approval.policy),
    progress: quorumProgressOf(approval),
    ...(askedArgs !== undefined && { askedArgs }),
  };
}

/** Builds the view of an approval with its comments and reminders. */
export async function readInboxApproval(
  deps: Pick<ApiDeps, 'store' | 'fingerprints'>,
  caller: Caller,
  { approval, run }: ApprovalOfRun,
): Promise<NotedApproval> {
  const visible = toInboxApproval(approval, hiddenFrom(caller, run), deps.fingerprints);
  const [noted] = await withNotes(deps, [visible], MAX_COMMENTS);
  return noted ?? { ...visible, ...NO_NOTES };
}

/** An approval with its comments and reminders. */
export type NotedApproval = InboxApproval & Notes;

/** The most comments of an approval. */
export const MAX_COMMENTS = 100;
/** The number of latest comments that a list includes for each approval. */
export const COMMENTS_LISTED = 3;

/** Adds comments and reminders to approvals. @param most the number of latest comments of each approval */
export async function withNotes(
  { store }: Pick<ApiDeps, 'store'>,
  approvals: readonly InboxApproval[],
  most: number,
): Promise<readonly NotedApproval[]> {
  const notes = await store.approvalNotes.of(
    approvals.map(({ id }) => id),
    most,
  );
  return approvals.map((approval) => ({ ...approval, ...(notes.get(approval.id) ?? NO_NOTES) }));
}

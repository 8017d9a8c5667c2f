import { NO_NOTES } from '../../store/approval-notes/approval-notes.ts';
import type { Notes } from '../../store/approval-notes/approval-notes.ts';
import type { ApiDeps } from '../deps.ts';
import type { InboxApproval } from './inbox-approval.ts';

/** An approval with what people have added to it. */
export type NotedApproval = InboxApproval & Notes;

/** The comments of an approval. */
export const MAX_COMMENTS = 100;
/** The comments that each approval of a list has: so many of the latest. */
export const COMMENTS_LISTED = 3;

/** Adds comments and reminders to approvals. @param most the comments of each, the latest */
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

import type { PublicApproval } from '../../graph/run/index.ts';
import { NO_NOTES } from '../../store/approval-notes/approval-notes.ts';
import type { Notes } from '../../store/approval-notes/approval-notes.ts';
import type { ApiDeps } from '../deps.ts';

/** An approval with what people have added to it. */
export type NotedApproval = PublicApproval & Notes;

/** Adds comments and reminders to approvals. */
export async function withNotes(
  { store }: Pick<ApiDeps, 'store'>,
  approvals: readonly PublicApproval[],
): Promise<readonly NotedApproval[]> {
  const notes = await store.approvalNotes.of(approvals.map(({ id }) => id));
  return approvals.map((approval) => ({ ...approval, ...(notes.get(approval.id) ?? NO_NOTES) }));
}

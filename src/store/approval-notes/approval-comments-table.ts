import type { Time } from '../database/columns.ts';

/** What people say about approvals. */
export interface ApprovalCommentsTable {
  id: string;
  approval_id: string;
  run_id: string;
  written_by: string;
  text: string;
  created_at: Time;
}

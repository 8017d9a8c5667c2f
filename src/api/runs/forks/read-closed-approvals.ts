import { MAX_INHERITED, closedApprovals } from '../../../graph/run/index.ts';
import type { ClosedApproval } from '../../../graph/run/index.ts';
import type { Position } from '../../../store/page.ts';
import type { RunRecord } from '../../../store/runs.ts';
import type { Store } from '../../../store/store.ts';

const PAGE_SIZE = 50;

/**
 * Reads the latest closed approvals of a run, as many as a fork takes over, or some more. They are read by pages, as
 * their details may be large.
 */
export async function readClosedApprovals(
  { approvals }: Pick<Store, 'approvals'>,
  { id: runId, tenantId }: Pick<RunRecord, 'id' | 'tenantId'>,
): Promise<readonly ClosedApproval[]> {
  const closed: ClosedApproval[] = [];
  let next: Position | null = null;
  do {
    const page = await approvals.list(tenantId, { runId }, { limit: PAGE_SIZE, ...(next && { after: next }) });
    closed.push(...closedApprovals(page.items));
    next = page.next;
  } while (next !== null && closed.length < MAX_INHERITED);
  return closed;
}

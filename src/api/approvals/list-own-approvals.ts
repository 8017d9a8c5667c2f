import type { ApprovalFilter, KnownApproval } from '../../store/approvals.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { waitsFor } from './waits-for.ts';

/** Pages that are looked through for one that shows something. */
const MAX_LOOKS = 20;

/**
 * Lists pending approvals that a caller may decide and has not decided, the newest first. A page may have fewer than asked
 * for, and others still follow.
 */
export async function listOwnApprovals(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  { filter, page }: { readonly filter: ApprovalFilter; readonly page: PageRequest },
): Promise<Page<KnownApproval>> {
  const { status = ['pending'] } = filter;
  if (!caller.permissions.has('approval:decide') || !status.includes('pending')) return { items: [], next: null };
  for (let looks = 1, { after } = page; ; looks += 1) {
    const { items, next } = await store.approvals.list(
      caller.tenantId,
      { ...filter, status: ['pending'] },
      { ...page, after },
    );
    const own = items.filter((approval) => waitsFor(caller, approval));
    if (own.length > 0 || next === null || looks === MAX_LOOKS) return { items: own, next };
    after = next;
  }
}

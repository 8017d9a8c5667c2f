import type { KnownApproval, ApprovalFilter } from '../../store/approvals.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { maySeeTenant, toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { isPendingFor } from '../../graph/run/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import { findRun } from '../runs/find-run.ts';

/** Finds an approval of the caller's tenant; admins find those of all tenants. @throws ApiError 404 */
export async function findApproval(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  id: string,
): Promise<KnownApproval> {
  const found = await store.approvals.find(id);
  if (!found || !maySeeTenant(caller, found.tenantId))
    throw new ApiError('UNKNOWN_APPROVAL', `There is no approval "${id}"`);
  return found.approval;
}

/** An approval with its run. */
export interface ApprovalOfRun {
  readonly approval: KnownApproval;
  readonly run: RunRecord;
}

/** Finds an approval like `findApproval`, with its run. @throws ApiError 404 */
export async function findWithRun(deps: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<ApprovalOfRun> {
  const approval = await findApproval(deps, caller, id);
  return { approval, run: await findRun(deps, caller, approval.runId) };
}

/** The most pages that are read to find one approval for the caller. */
const MAX_PAGES = 20;

/**
 * Lists pending approvals that the caller may decide and has not decided, newest first. A page may be shorter than
 * requested although others follow.
 */
export async function listOwnApprovals(
  { store }: Pick<ApiDeps, 'store'>,
  caller: Caller,
  filter: ApprovalFilter,
  page: PageRequest,
): Promise<Page<KnownApproval>> {
  const { status = ['pending'] } = filter;
  if (!caller.permissions.has('approval:decide') || !status.includes('pending')) return { items: [], next: null };
  for (let pages = 1, { after } = page; ; pages += 1) {
    const { items, next } = await store.approvals.list(
      caller.tenantId,
      { ...filter, status: ['pending'] },
      { ...page, after },
    );
    const own = items.filter((approval) => waitsFor(caller, approval));
    if (own.length > 0 || next === null || pages === MAX_PAGES) return { items: own, next };
    after = next;
  }
}

/** Returns true if an approval is waiting for a decision of the caller. */
export function waitsFor(caller: Caller, approval: Approval): boolean {
  return isPendingFor(approval, { by: toPrincipal(caller), at: new Date().toISOString() });
}

/** @throws ApiError 409 for an approval that is closed */
export function requirePending(status: string): void {
  if (status !== 'pending') throw new ApiError('NOT_ALLOWED_NOW', `The approval is ${status}; nobody is awaited`);
}

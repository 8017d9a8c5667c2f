import type { KnownApproval, ApprovalFilter } from '../../store/approvals.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { maySeeTenant, toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { isPendingFor, quorumProgressOf } from '../../graph/run/index.ts';
import type { Approval, PublicApproval, QuorumProgress } from '../../graph/run/index.ts';
import { findRun } from '../runs/read-run.ts';
import { hideAskedArgs } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { NO_NOTES } from '../../store/approval-notes.ts';
import type { NotesOfApproval } from '../../store/approval-notes.ts';
import { whoDecides } from '../../wording/index.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { redactApproval, hiddenFrom } from '../redaction.ts';

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
export async function findApprovalWithRun(
  deps: Pick<ApiDeps, 'store'>,
  caller: Caller,
  id: string,
): Promise<ApprovalOfRun> {
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
    const own = items.filter((approval) => isPendingForCaller(caller, approval));
    if (own.length > 0 || next === null || pages === MAX_PAGES) return { items: own, next };
    after = next;
  }
}

/** Returns true if an approval is waiting for a decision of the caller. */
export function isPendingForCaller(caller: Caller, approval: Approval): boolean {
  return isPendingFor(approval, { by: toPrincipal(caller), at: new Date().toISOString() });
}

/** @throws ApiError 409 for an approval that is closed */
export function requirePending(status: string): void {
  if (status !== 'pending') throw new ApiError('NOT_ALLOWED_NOW', `The approval is ${status}; nobody is awaited`);
}

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
  const [noted] = await addNotes(deps, [visible], MAX_COMMENTS);
  return noted ?? { ...visible, ...NO_NOTES };
}

/** An approval with its comments and reminders. */
export type NotedApproval = InboxApproval & NotesOfApproval;

/** The most comments of an approval. */
export const MAX_COMMENTS = 100;

/** The number of latest comments that a list includes for each approval. */
export const COMMENTS_LISTED = 3;

/** Adds comments and reminders to approvals. @param most the number of latest comments of each approval */
export async function addNotes(
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

import { HoldfastError } from 'holdfast/client';
import type { Approval, Decision, Listing, Reassignment } from 'holdfast/client';
import type { Draft } from '../../form/draft.ts';

/** The draft of a decision. */
export interface DecisionDraft {
  /** `null` if unchanged. */
  readonly args: Draft | null;
  readonly values: Draft | null;
  readonly reason: string;
}

/** The storage key of the draft for an approval. */
export function draftKeyOf(approvalId: string): string {
  return `approval ${approvalId}`;
}

/** The outcome of a decision that was sent from this page. */
export type Outcome =
  | { readonly kind: 'decided'; readonly decision: Decision['decision']; readonly isOver: boolean }
  /** `seen` is the approval that the person saw. */
  | { readonly kind: 'refused'; readonly error: unknown; readonly seen: Approval };

/** Error codes that mean that the visible approval is outdated. */
const OUTDATED_CODES = new Set(['ALREADY_DECIDED', 'APPROVAL_EXPIRED', 'APPROVAL_CANCELED', 'APPROVAL_CHANGED']);

export function isOutdated(error: unknown): boolean {
  return error instanceof HoldfastError && OUTDATED_CODES.has(error.code);
}

/** Returns the problems of the fields of a part of the decision. @param part such as `args` */
export function issuesOf(error: unknown, part: 'args' | 'values'): Readonly<Record<string, string>> {
  if (!(error instanceof HoldfastError)) return {};
  const codes = { args: 'INVALID_ARGS', values: 'INVALID_VALUES' };
  if (error.code !== codes[part]) return {};
  return Object.fromEntries(
    error.issues.map(({ path, message }) => [
      path.split('/').find((token) => token !== '' && token !== part) ?? '',
      message,
    ]),
  );
}

/** The number of pages to search. */
const MOST_PAGES = 20;

/** Searches a list for an item. @returns `null` if it is not in the first pages, and there are more */
export async function isAmong(
  listing: Pick<Listing<{ readonly id: string }>, 'page'>,
  id: string,
): Promise<boolean | null> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, nextCursor } = await listing.page(cursor);
    if (items.some((item) => item.id === id)) return true;
    if (nextCursor === null) return false;
    cursor = nextCursor;
  }
  return null;
}

/** Parses names that are separated by commas. Empty ones are left out; an empty list is left to the API to refuse. */
export function toReassignment({ roles, users }: Draft): Reassignment {
  const named = { roles: namesIn(roles), users: namesIn(users) };
  return {
    ...(named.roles.length > 0 && { roles: named.roles }),
    ...(named.users.length > 0 && { users: named.users }),
  };
}

function namesIn(text: Draft[string] | undefined): string[] {
  return typeof text === 'string'
    ? text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : [];
}

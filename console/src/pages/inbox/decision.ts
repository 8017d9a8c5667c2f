import { HoldfastError } from 'holdfast/client';
import type { Approval, Decision, Listing, Reassignment } from 'holdfast/client';
import type { Draft } from '../../form/draft.ts';

/** What a person has written for a decision and not sent. */
export interface DecisionDraft {
  /** `null`: as proposed. */
  readonly args: Draft | null;
  readonly values: Draft | null;
  readonly reason: string;
}

/** Where the tab keeps what is written for an approval. */
export function draftPlace(approvalId: string): string {
  return `approval ${approvalId}`;
}

/** What has come of a decision that was sent from here. */
export type Outcome =
  | { readonly kind: 'decided'; readonly decision: Decision['decision']; readonly isOver: boolean }
  /** `seen` is the approval as it was shown. */
  | { readonly kind: 'refused'; readonly error: unknown; readonly seen: Approval };

/** Codes after which the approval that is shown is an old one. */
const OLD = new Set(['ALREADY_DECIDED', 'APPROVAL_EXPIRED', 'APPROVAL_CANCELED', 'APPROVAL_CHANGED']);

export function isOutdated(error: unknown): boolean {
  return error instanceof HoldfastError && OLD.has(error.code);
}

/** Gives what is wrong with single fields of a part of the decision. @param part such as `args` */
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

/** Pages that are looked through. */
const MOST_PAGES = 20;

/** Looks for an item in a list. @returns `null` if the first pages do not have it, and more follow */
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

/** Reads the names that people have written with commas between them. What is empty is left out; the API refuses nobody. */
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

import { HoldfastError } from 'holdfast/client';
import type { Approval, Decision } from 'holdfast/client';

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

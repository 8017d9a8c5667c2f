import type { Approval } from '../../graph/run/index.ts';
import { formatTimestamp, toMs } from '../../graph/values/index.ts';

/** A reminder or an escalation of an approval that is not decided yet. */
export interface ApprovalNotice {
  readonly type: 'approval.reminder' | 'approval.escalated';
  /** RFC 3339. */
  readonly at: string;
}

/** Returns all notices of an approval, in order: those before it expires, one of a type at a time. */
export function noticesOf({
  policy: { reminders = [], escalate = [] },
  requestedAt,
  expiresAt,
}: Pick<Approval, 'policy' | 'requestedAt' | 'expiresAt'>): readonly ApprovalNotice[] {
  const timesOf = (afters: readonly string[]): readonly number[] =>
    [...new Set(afters.map((after) => Date.parse(requestedAt) + toMs(after)))].filter(
      (at) => at < Date.parse(expiresAt),
    );
  return [
    ...timesOf(reminders).map((at) => ({ type: 'approval.reminder', at }) as const),
    ...timesOf(escalate.map(({ after }) => after)).map((at) => ({ type: 'approval.escalated', at }) as const),
  ]
    .toSorted((one, other) => one.at - other.at)
    .map(({ type, at }) => ({ type, at: formatTimestamp(at) }));
}

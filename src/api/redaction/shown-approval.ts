import type { RunEvent } from '../../graph/journal/index.ts';
import { hideApproval, hideEvent, REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Approval, PublicApproval } from '../../graph/run/index.ts';
import type { Seals } from '../http/seals.ts';

/** An approval without what is hidden. One that shows less has a digest of its own, which tells nothing of the rest. */
export function shownApproval(approval: Approval, hidden: Redaction, seals: Seals): PublicApproval {
  const shown = hideApproval(approval, hidden);
  return shown.digest === REDACTED ? { ...shown, digest: sealOf(approval, seals) } : shown;
}

/** An event without what is hidden. */
export function shownEvent(event: RunEvent, hidden: Redaction, seals: Seals): RunEvent {
  const shown = hideEvent(event, hidden);
  if (shown.type !== 'approval.requested' || shown.approval.digest !== REDACTED) return shown;
  if (event.type !== 'approval.requested') return shown;
  return { ...shown, approval: { ...shown.approval, digest: sealOf(event.approval, seals) } };
}

function sealOf({ id, digest }: Pick<Approval, 'id' | 'digest'>, seals: Seals): string {
  return seals.of('approval', [id, digest]);
}

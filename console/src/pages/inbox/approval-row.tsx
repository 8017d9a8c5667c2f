import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { Link, useSearch } from 'wouter';
import { Icon } from '../../parts/icon.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { toApproval } from './inbox-views.ts';

interface ApprovalRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
}

/** One line of the inbox. */
export function ApprovalRow({ approval, isOpen }: ApprovalRowProps): JSX.Element {
  const { id, title, node, tool, status, requestedBy, expiresAt, progress } = approval;
  const search = useSearch();
  return (
    <li>
      <Link href={toApproval(id, search)} aria-current={isOpen ? 'true' : undefined}>
        <span className="approval-title">{visible(title)}</span>
        <span className="approval-facts">
          <span className="mono">{visible(tool ?? node)}</span>
          <span>
            <Icon name="person" />
            {visible(requestedBy)}
          </span>
          {progress !== undefined && progress.needed > 1 && (
            <span>
              {progress.by.length} of {progress.needed} approvals
            </span>
          )}
          {status === 'pending' ? (
            <span>
              <Icon name="hourglass" />
              due <Ago at={expiresAt} />
            </span>
          ) : (
            <>
              <Status of={status} />
              <Ago at={closedAt(approval)} />
            </>
          )}
        </span>
      </Link>
    </li>
  );
}

/** The status that each decision gives an approval. */
const CLOSES = { approve: 'approved', reject: 'rejected' } as const;

/** When an approval was closed: by its last decision, or by its timeout, whatever people had proposed before. */
function closedAt({ status, decisions, progress, requestedAt, expiresAt }: Approval): string {
  const last = decisions.at(-1);
  const isBy =
    last !== undefined && CLOSES[last.decision] === status && (status === 'rejected' || progress?.by.length !== 0);
  if (isBy) return last.at;
  return status === 'canceled' ? requestedAt : expiresAt;
}

import type { Approval } from 'holdfast/client';
import { useEffect, useRef } from 'react';
import type { JSX } from 'react';
import { Link, useSearch } from 'wouter';
import { Icon } from '../../parts/icon.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { toApproval } from './inbox-views.ts';
import { mainArguments } from './main-arguments.ts';

interface ApprovalRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
}

/** One line of the inbox. */
export function ApprovalRow({ approval, isOpen }: ApprovalRowProps): JSX.Element {
  const { id, title, node, tool, args, graph, status, requestedBy, expiresAt, closedAt, progress } = approval;
  const gist = mainArguments(args);
  const search = useSearch();
  const row = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li>
      <Link ref={row} href={toApproval(id, search)} aria-current={isOpen ? 'true' : undefined}>
        <span className="approval-title">{visible(title)}</span>
        <span className="approval-facts">
          <span className="mono">{visible(tool ?? node)}</span>
          {gist.length > 0 && <span className="approval-gist">{visible(gist.join(' · '))}</span>}
          {graph !== undefined && <span>in {visible(graph)}</span>}
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
              {closedAt !== undefined && <Ago at={closedAt} />}
            </>
          )}
        </span>
      </Link>
    </li>
  );
}

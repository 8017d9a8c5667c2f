import { useEffect, useRef } from 'react';
import type { JSX } from 'react';
import { useLocation, useSearch, Link } from 'wouter';
import type { Approval } from 'holdfast/client';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { useHotkeys } from '../../parts/use-hotkeys.ts';
import { Empty } from '../../parts/notices.tsx';
import { toApproval, toFilter } from './inbox-views.ts';
import type { InboxSearch } from './inbox-views.ts';
import { Icon } from '../../parts/icon.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/texts.ts';
import { mainArguments } from './arguments.ts';

interface ApprovalListProps {
  readonly search: InboxSearch;
  readonly openId: string | null;
}

const EMPTY = {
  mine: 'Nothing waits for you',
  pending: 'Nothing is pending',
  decided: 'Nothing is decided yet',
} as const;

/** The approvals of a view, the newest or last decided first. The keys j and k move through them. */
export function ApprovalList({ search, openId }: ApprovalListProps): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.approvals, 'list', search], (options) =>
    client.approvals.list(toFilter(search, Date.now()), options),
  );
  const list = useListKeys(pages.items?.map(({ id }) => id) ?? [], openId);
  return (
    <>
      <p className="for-readers" role="status">
        {pages.items?.length ?? 0} approvals
      </p>
      <PagesView pages={pages} empty={<Empty title={EMPTY[search.view]}>New approvals show themselves here.</Empty>}>
        {(approvals) => (
          <ul className="approvals" ref={list}>
            {approvals.map((approval) => (
              <ApprovalRow key={approval.id} approval={approval} isOpen={approval.id === openId} />
            ))}
          </ul>
        )}
      </PagesView>
    </>
  );
}

/** Handles j and k: they open the next or previous approval if one is open, otherwise they move the focus. */
function useListKeys(ids: readonly string[], openId: string | null) {
  const list = useRef<HTMLUListElement>(null);
  const last = useRef<number | null>(null);
  useEffect(() => {
    const index = openId === null ? -1 : ids.indexOf(openId);
    if (index !== -1) last.current = index;
  }, [ids, openId]);
  const [, navigate] = useLocation();
  const search = useSearch();
  const move = (step: 1 | -1): void => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const focused = links.findIndex((link) => link === document.activeElement);
    const found = openId === null ? focused : ids.indexOf(openId);
    // If the open approval has left the list, the next one is at its index now.
    const target = found === -1 ? (last.current ?? 0) - (step === 1 ? 0 : 1) : found + step;
    const next = Math.min(Math.max(target, 0), ids.length - 1);
    const id = ids[next];
    if (id === undefined) return;
    links[next]?.focus();
    if (openId !== null) navigate(toApproval(id, search), { replace: true });
  };
  useHotkeys({ j: () => move(1), k: () => move(-1) });
  return list;
}

interface ApprovalRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
}

/** One line of the inbox. */
function ApprovalRow({ approval, isOpen }: ApprovalRowProps): JSX.Element {
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

import type { JSX } from 'react';
import { useParams, useSearch } from 'wouter';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { ApprovalList } from './approval-list.tsx';
import { InboxFilters } from './inbox-filters.tsx';
import './inbox.css';
import { readShown } from './inbox-views.ts';

/** What waits for people, and what they have decided: a list, and beside it the one that is open. */
export function InboxPage(): JSX.Element {
  const { '*': rest } = useParams();
  const id = rest === undefined || rest === '' ? null : decodeURIComponent(rest);
  const shown = readShown(new URLSearchParams(useSearch()));
  return (
    <div className={`inbox ${id === null ? 'of-list' : 'of-one'}`}>
      <section className="inbox-list" aria-label="Approvals">
        <PageHeader
          title="Inbox"
          about={
            <>
              <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>e</kbd> edits, <kbd>a</kbd> approves,{' '}
              <kbd>r</kbd> rejects
            </>
          }
        />
        <InboxFilters shown={shown} />
        <ApprovalList shown={shown} openId={id} />
      </section>
      {id === null ? (
        <section className="inbox-one" aria-label="The approval">
          <Empty title="No approval is open">Choose one from the list.</Empty>
        </section>
      ) : (
        <ApprovalDetail key={id} id={id} />
      )}
    </div>
  );
}

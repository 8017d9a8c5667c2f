import type { JSX } from 'react';
import { useParams, useSearch, Link, useSearchParams } from 'wouter';
import { Empty } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { ApprovalList } from './approval-list.tsx';
import './inbox.css';
import { readInboxSearch, VIEWS } from './inbox-views.ts';
import type { InboxSearch } from './inbox-views.ts';

/** The inbox: a list of approvals, and the open one next to it. */
export function InboxPage(): JSX.Element {
  const { '*': rest } = useParams();
  const id = rest === undefined || rest === '' ? null : decodeURIComponent(rest);
  const search = readInboxSearch(new URLSearchParams(useSearch()));
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
        <InboxFilters search={search} />
        <ApprovalList search={search} openId={id} />
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

const DUE_LABELS = {
  '': 'Due at any time',
  hour: 'Due within an hour',
  day: 'Due within a day',
  week: 'Due within a week',
};

/** The filters of the inbox. All of it stands in the address. */
function InboxFilters({ search }: { readonly search: InboxSearch }): JSX.Element {
  const [address, setAddress] = useSearchParams();
  const changed = (name: string, value: string): URLSearchParams => {
    const next = new URLSearchParams(address);
    if (value === '') next.delete(name);
    else next.set(name, value);
    return next;
  };
  return (
    <>
      <nav className="tabs" aria-label="Views">
        {Object.entries(VIEWS).map(([name, { label }]) => (
          <Link
            key={name}
            href={`/inbox?${changed('view', name).toString()}`}
            aria-current={name === search.view ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <form className="inbox-filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          aria-label="Graph"
          placeholder="Graph"
          value={search.graph}
          onChange={(event) => setAddress(changed('graph', event.target.value), { replace: true })}
        />
        <input
          aria-label="Tool"
          placeholder="Tool"
          value={search.tool}
          onChange={(event) => setAddress(changed('tool', event.target.value), { replace: true })}
        />
        <select
          aria-label="Due"
          value={search.due}
          onChange={(event) => setAddress(changed('due', event.target.value), { replace: true })}
        >
          {Object.entries(DUE_LABELS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </form>
    </>
  );
}

import type { JSX } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useAdminRight } from '../../api/use-admin-right.ts';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { InspectedPage } from './one/inspected-page.tsx';
import { PrunePage } from './prune/prune-page.tsx';
import { RunsOfAll } from './runs/runs-of-all.tsx';

/** All pages of administrators; others are told that they are none. */
export function AdminPage(): JSX.Element {
  const right = useAdminRight();
  return <QueryView query={right}>{(isAdmin) => (isAdmin ? <Places /> : <NoAdmin />)}</QueryView>;
}

function Places(): JSX.Element {
  return (
    <Switch>
      <Route path="/admin/runs/:id">{({ id }) => <InspectedPage key={id} id={id} />}</Route>
      <Route path="/admin/prune">
        <Overview here="/admin/prune">
          <PrunePage />
        </Overview>
      </Route>
      <Route>
        <Overview here="/admin">
          <RunsOfAll />
        </Overview>
      </Route>
    </Switch>
  );
}

function NoAdmin(): JSX.Element {
  return (
    <>
      <PageHeader title="Admin" />
      <Notice kind="info">
        These pages are for people with the permission “admin”. Ask one of them, or sign in as one.
      </Notice>
    </>
  );
}

const TABS = { '/admin': 'Runs of all tenants', '/admin/prune': 'Retention' } as const;

interface OverviewProps {
  readonly here: keyof typeof TABS;
  readonly children: JSX.Element;
}

function Overview({ here, children }: OverviewProps): JSX.Element {
  return (
    <div className="stack">
      <PageHeader title="Admin" about="What concerns the installation, across its tenants." />
      <nav className="tabs" aria-label="Administration">
        {Object.entries(TABS).map(([path, label]) => (
          <Link key={path} href={path} aria-current={path === here ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  );
}

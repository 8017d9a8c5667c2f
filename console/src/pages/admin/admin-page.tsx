import type { JSX } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { useAdminRight } from '../../api/use-admin-right.ts';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { AuditPage } from './audit/audit-page.tsx';
import { InspectedPage } from './one/inspected-page.tsx';
import { PrunePage } from './prune/prune-page.tsx';
import { RunsOfAll } from './runs/runs-of-all.tsx';
import { SwitchesPage } from './switches/switches-page.tsx';
import { TenantPage } from './tenants/tenant-page.tsx';
import { TenantsPage } from './tenants/tenants-page.tsx';

/** All pages of administrators; others are told that they are none. */
export function AdminPage(): JSX.Element {
  const right = useAdminRight();
  return <QueryView query={right}>{(isAdmin) => (isAdmin ? <Places /> : <NoAdmin />)}</QueryView>;
}

/** The pages that stand side by side, by their paths. */
const TABS: readonly (readonly [path: string, label: string, Content: () => JSX.Element])[] = [
  ['/admin', 'Runs of all tenants', RunsOfAll],
  ['/admin/tenants', 'Tenants', TenantsPage],
  ['/admin/switches', 'Switches', SwitchesPage],
  ['/admin/audit', 'Audit', AuditPage],
  ['/admin/prune', 'Retention', PrunePage],
];

function Places(): JSX.Element {
  return (
    <Switch>
      <Route path="/admin/runs/:id">{({ id }) => <InspectedPage key={id} id={id} />}</Route>
      <Route path="/admin/tenants/:id">{({ id }) => <TenantPage key={id} id={id} />}</Route>
      {TABS.map(([path, , Content]) => (
        <Route key={path} path={path}>
          <Overview here={path}>
            <Content />
          </Overview>
        </Route>
      ))}
      <Route>
        <Redirect to="/admin" replace />
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

interface OverviewProps {
  readonly here: string;
  readonly children: JSX.Element;
}

function Overview({ here, children }: OverviewProps): JSX.Element {
  return (
    <div className="stack">
      <PageHeader title="Admin" about="What concerns the installation, across its tenants." />
      <nav className="tabs" aria-label="Administration">
        {TABS.map(([path, label]) => (
          <Link key={path} href={path} aria-current={path === here ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  );
}

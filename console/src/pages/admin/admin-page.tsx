import type { Pruned } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi, useAdminRight } from '../../api/use-api.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { COUNTED, isAnyCounted } from './unknown-outcomes.ts';
import { Notice } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { AuditPage } from './audit-page.tsx';
import { InspectedPage } from './inspected-page.tsx';
import { AllRunsPage } from './runs-of-all.tsx';
import { SwitchesPage } from './switches-page.tsx';
import { TenantPage } from './tenant-page.tsx';
import { TenantsPage } from './tenants-page.tsx';

const PATH = '/admin/prune';

/** Deletes data that has outlived its retention. It shows the counts first. */
function PrunePage(): JSX.Element {
  const client = useApi();
  const [pruned, setPruned] = useState<Pruned | null>(null);
  return (
    <section className="card stack" aria-label="Retention">
      <h2>What has outlived its retention</h2>
      <p className="muted">Holdfast forgets it by itself, once an hour. Here it is done at once, for all tenants.</p>
      <div className="row">
        <ActionButton
          label="Count"
          request={{ method: 'POST', path: PATH, body: { dryRun: true } }}
          send={async (options) => await client.admin.prune({ dryRun: true }, options)}
          stale={[]}
          onDone={setPruned}
        />
        <ActionButton
          label="Forget it"
          look="danger"
          disabled={pruned?.dryRun !== true || !isAnyCounted(pruned)}
          warning="What was counted goes for good."
          request={{ method: 'POST', path: PATH, body: { dryRun: false } }}
          send={async (options) => await client.admin.prune({ dryRun: false }, options)}
          stale={[KEYS.admin, KEYS.runs]}
          onDone={setPruned}
        />
      </div>
      <div role="status">{pruned && <PrunedCounts pruned={pruned} />}</div>
    </section>
  );
}

function PrunedCounts({ pruned }: { readonly pruned: Pruned }): JSX.Element {
  return (
    <>
      <p>{pruned.dryRun ? 'So much would go:' : 'So much went:'}</p>
      <dl className="facts">
        {COUNTED.map((name) => (
          <div key={name} className="facts-row">
            <dt>{name}</dt>
            <dd>{pruned[name]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** All pages for administrators. Others get a notice. */
export function AdminPage(): JSX.Element {
  const right = useAdminRight();
  return <QueryView query={right}>{(isAdmin) => (isAdmin ? <AdminRoutes /> : <NoAdmin />)}</QueryView>;
}

/** The tabs, by their paths. */
const TABS: readonly (readonly [path: string, label: string, Content: () => JSX.Element])[] = [
  ['/admin', 'Runs of all tenants', AllRunsPage],
  ['/admin/tenants', 'Tenants', TenantsPage],
  ['/admin/switches', 'Switches', SwitchesPage],
  ['/admin/audit', 'Audit', AuditPage],
  ['/admin/prune', 'Retention', PrunePage],
];

function AdminRoutes(): JSX.Element {
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

import { useQuery } from '@tanstack/react-query';
import type { Tenant } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Changed } from '../parts/changed.tsx';
import { ForgetTenant } from './forget-tenant.tsx';
import { tellLimit } from './tell-limit.ts';
import { TenantForm } from './tenant-form.tsx';
import { toTenant } from './to-tenant.ts';

/** A tenant: what it may use up and who says so, and a form that says something else. */
export function TenantPage({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const query = useQuery({
    queryKey: [...KEYS.admin, 'tenant', id],
    queryFn: async ({ signal }) => await client.admin.tenant(id, { signal }),
  });
  return (
    <div className="stack">
      <Link href="/admin/tenants" className="small-text">
        Tenants
      </Link>
      <PageHeader title={id} about="What the tenant may use up, in all its runs.">
        <CopyAsCurl request={{ method: 'GET', path: toTenant(id) }} />
      </PageHeader>
      <QueryView query={query}>
        {(tenant) => (
          <>
            <Terms tenant={tenant} />
            <TenantForm key={tenant.changedAt} tenant={tenant} />
          </>
        )}
      </QueryView>
    </div>
  );
}

function Terms({ tenant }: { readonly tenant: Tenant }): JSX.Element {
  const { id, quotas, suspended, changedAt, changedBy } = tenant;
  return (
    <section className="card stack" aria-label="What counts">
      {suspended && (
        <Notice kind="warn">
          <p>
            <strong>Suspended</strong> <Ago at={suspended.since} />: {suspended.reason}
          </p>
        </Notice>
      )}
      <dl className="facts">
        <dt>New runs a minute</dt>
        <dd>{tellLimit(quotas.runsPerMinute)}</dd>
        <dt>US dollars a day</dt>
        <dd>{tellLimit(quotas.costUsdPerDay)}</dd>
        <dt>Changed</dt>
        <dd>
          <Changed at={changedAt} by={changedBy} />
        </dd>
      </dl>
      <div className="row">
        <Link href={`/admin?tenant=${encodeURIComponent(id)}`}>Its runs</Link>
        <Link href={`/admin/audit?tenant=${encodeURIComponent(id)}`}>Who has done what there</Link>
        {changedAt !== null && <ForgetTenant id={id} />}
      </div>
    </section>
  );
}

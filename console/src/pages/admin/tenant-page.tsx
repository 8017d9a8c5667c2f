import { useQuery } from '@tanstack/react-query';
import type { Tenant } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Notice } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Ago } from '../../parts/time.tsx';
import { formatLimit, CHOICES, missingOf, requiredFields, readTerms, toTermsForm } from './drafts.ts';
import { toTenant } from '../paths.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { ActionButton } from '../../parts/action-button.tsx';

/** The page of a tenant: its quotas with their sources, and a form that changes them. */
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
        <dd>{formatLimit(quotas.runsPerMinute)}</dd>
        <dt>US dollars a day</dt>
        <dd>{formatLimit(quotas.costUsdPerDay)}</dd>
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

const SCHEMA = {
  type: 'object',
  required: ['runs', 'cost'],
  properties: {
    runs: { title: 'New runs a minute', oneOf: CHOICES },
    runsPerMinute: { type: 'integer', title: 'So many new runs a minute', minimum: 0 },
    cost: { title: 'Cost a day', oneOf: CHOICES },
    costUsdPerDay: {
      type: 'number',
      title: 'So many US dollars a day',
      minimum: 0,
      description: 'What runs that begin on a day (UTC) may cost',
    },
    suspended: {
      type: 'boolean',
      title: 'Suspended',
      description: 'It starts no runs. Those that have begun go on, and are decided and read as before.',
    },
    reason: { type: 'string', title: 'Why it is suspended', description: 'Is told to whoever starts a run' },
  },
};

/** Fields that are hidden while they have no effect. */
const CONDITIONAL: ReadonlySet<string> = new Set(['runsPerMinute', 'costUsdPerDay', 'reason']);

/** The form that replaces the terms of a tenant. */
function TenantForm({ tenant }: { readonly tenant: Tenant }): JSX.Element {
  const client = useApi();
  const [initial] = useState(() => toTermsForm(tenant));
  const form = useForm(SCHEMA, initial);
  const terms = readTerms(form.value);
  const needed = requiredFields(form.value);
  const visibleForm = {
    ...form,
    fields: form.fields?.filter(({ name }) => !CONDITIONAL.has(name) || needed.includes(name)) ?? null,
    problems: { ...missingOf(form.value, needed), ...form.problems },
  };
  return (
    <section className="card narrow" aria-label="Say what it may use up">
      <RequestForm
        form={visibleForm}
        legend={`Say what ${tenant.id} may use up`}
        submit="Save"
        request={{ method: 'PUT', path: toTenant(tenant.id), body: terms }}
        send={async (options) => await client.admin.setTenant(tenant.id, terms, options)}
        stale={[KEYS.admin]}
      />
    </section>
  );
}

export function ForgetTenant({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Forget"
      of={`what was said of ${id}`}
      look="small"
      warning={`Only the configuration counts for ${id} then, and it is not suspended.`}
      request={{ method: 'DELETE', path: toTenant(id) }}
      send={async (options) => await client.admin.removeTenant(id, options)}
      stale={[KEYS.admin]}
    />
  );
}

interface ChangedProps {
  readonly at: string | null;
  readonly by: string | null;
}

/** The time and author of a change. */
export function Changed({ at, by }: ChangedProps): JSX.Element {
  if (at === null) return <>never</>;
  return (
    <>
      <Ago at={at} /> by {by}
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { InspectedRun } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { Activities } from './activities.tsx';
import { Ledger } from './ledger.tsx';

const PERIOD_MS = 10_000;

/** A run of any tenant as its administrators see it: the calls with an unknown outcome and the activities that are out come first. */
export function InspectedPage({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const query = useQuery({
    queryKey: [...KEYS.admin, 'run', id],
    queryFn: async ({ signal }) => await client.admin.run(id, { signal }),
    refetchInterval: PERIOD_MS,
  });
  return (
    <div className="stack">
      <Link href="/admin" className="small-text">
        Runs of all tenants
      </Link>
      <QueryView query={query} what="Inspecting the run">
        {(inspected) => <Inspected inspected={inspected} />}
      </QueryView>
    </div>
  );
}

function Inspected({ inspected }: { readonly inspected: InspectedRun }): JSX.Element {
  const { run, events, pendingActivities } = inspected;
  const { id, error, pending } = run;
  return (
    <>
      <PageHeader title={run.graph.name} about={<span className="mono">{id}</span>}>
        <Status of={run.status} />
        <CopyAsCurl request={{ method: 'GET', path: `/admin/runs/${encodeURIComponent(id)}` }} />
      </PageHeader>
      <section className="card stack" aria-label="About it">
        <dl className="facts">
          <dt>Tenant</dt>
          <dd>{run.tenantId}</dd>
          <dt>Began</dt>
          <dd>
            <Time at={run.createdAt} /> by {run.createdBy}
          </dd>
          <dt>Workflow</dt>
          <dd className="mono">{run.workflowId}</dd>
          <dt>With Temporal</dt>
          <dd>{pending ? `not yet: ${pending.reason}` : 'yes'}</dd>
          <dt>Error</dt>
          <dd>{error ? `${error.code}: ${error.message}` : 'none'}</dd>
        </dl>
        <Link href={`/runs/${encodeURIComponent(id)}`}>Its page, with what can be done</Link>
      </section>
      <Ledger runId={id} />
      <Activities activities={pendingActivities} />
      <details className="card">
        <summary>Its first {events.items.length} events</summary>
        <JsonView value={events.items} open={1} />
      </details>
    </>
  );
}

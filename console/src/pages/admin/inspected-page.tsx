import { useQuery } from '@tanstack/react-query';
import type { InspectedRun, LedgerRow } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView, usePages, PagesView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { Time, Ago } from '../../parts/time.tsx';
import { Notice, Empty } from '../../parts/notices.tsx';
import { Table } from '../../parts/table.tsx';
import { LOOKS, open, describeUnknownOutcomes, withUnknownOutcome } from './unknown-outcomes.ts';

const PERIOD_MS = 10_000;

/** A run of any tenant for administrators: calls with an unknown outcome and pending activities come first. */
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

type Pending = NonNullable<InspectedRun['pendingActivities']>;

/** The activities of a run that Temporal has scheduled or workers have started. */
function Activities({ activities }: { readonly activities: Pending | null }): JSX.Element {
  return (
    <section className="card stack" aria-label="Pending activities">
      <h2>Pending activities</h2>
      {activities === null && (
        <Notice kind="info">Temporal does not have the workflow, or does not answer at the moment.</Notice>
      )}
      {activities?.length === 0 && <p className="muted">None: it waits, or it has ended.</p>}
      {activities !== null && activities.length > 0 && <List activities={activities} />}
    </section>
  );
}

function List({ activities }: { readonly activities: Pending }): JSX.Element {
  return (
    <Table
      label="Pending activities"
      columns={['Activity', 'State', 'Attempt', 'Last start', 'Last heartbeat', 'Worker', 'Last failure']}
    >
      {activities.map(({ id, type, state, attempt, lastStartedAt, lastHeartbeatAt, lastWorker, lastFailure }) => (
        <tr key={id}>
          <th scope="row">
            {type} <code>{id}</code>
          </th>
          <td>{state}</td>
          <td>{attempt}</td>
          <td>{lastStartedAt === null ? '—' : <Ago at={lastStartedAt} />}</td>
          <td>{lastHeartbeatAt === null ? '—' : <Ago at={lastHeartbeatAt} />}</td>
          <td>{lastWorker ?? '—'}</td>
          <td>{lastFailure ?? '—'}</td>
        </tr>
      ))}
    </Table>
  );
}

const PAGE = { limit: 100 };

/** The calls of a run in the ledger. */
function Ledger({ runId }: { readonly runId: string }): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.admin, 'ledger', runId], (options) => client.admin.ledger(runId, PAGE, options));
  return (
    <section className="card stack" aria-label="Ledger">
      <div className="row">
        <h2>Ledger</h2>
        <CopyAsCurl request={{ method: 'GET', path: `/admin/runs/${encodeURIComponent(runId)}/ledger` }} />
      </div>
      <PagesView pages={pages} empty={<Empty title="It has made no call that the ledger keeps" />}>
        {(rows) => (
          <>
            <UnknownOutcomes rows={rows} hasMore={pages.hasMore} />
            <Table label="Calls in the ledger" columns={['Status', 'Node', 'Called', 'Failures', 'Claimed', 'Key']}>
              {rows.map((row) => (
                <Row key={row.key} row={row} />
              ))}
            </Table>
          </>
        )}
      </PagesView>
    </section>
  );
}

interface UnknownOutcomesProps {
  readonly rows: readonly LedgerRow[];
  readonly hasMore: boolean;
}

function UnknownOutcomes({ rows, hasMore }: UnknownOutcomesProps): JSX.Element {
  const summary = describeUnknownOutcomes(rows, hasMore);
  if (withUnknownOutcome(rows).length === 0)
    return (
      <p className="muted">
        {summary}; {open(rows).length} are not over.
      </p>
    );
  return (
    <Notice kind="bad">
      <strong>{summary}</strong>
      <p>
        No record says if they were made. Look at the other side by their keys, then retry or skip on the page of the
        run.
      </p>
    </Notice>
  );
}

function Row({ row }: { readonly row: LedgerRow }): JSX.Element {
  const { key, node, index, called, status, takeover, failures, failure, nextAttemptAt, claimedAt } = row;
  return (
    <tr>
      <td>
        <Status of={LOOKS[status]} label={status} />
        {nextAttemptAt !== null && (
          <p className="small-text">
            next attempt <Ago at={nextAttemptAt} />
          </p>
        )}
      </td>
      <td>
        {node}
        {index !== null && ` [${index}]`}
      </td>
      <td>{called}</td>
      <td>
        {failures}
        {takeover > 0 && <p className="small-text">taken over {takeover} times</p>}
        {failure && <p className="small-text">{`${failure.error.code}: ${failure.error.message}`}</p>}
      </td>
      <td>
        <Time at={claimedAt} />
      </td>
      <td>
        <code>{key}</code>
      </td>
    </tr>
  );
}

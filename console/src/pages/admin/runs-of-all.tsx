import type { AdminRun } from 'holdfast/client';
import type { JSX } from 'react';
import { Link, useSearchParams } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import './admin.css';
import { SearchField, useSearchField } from './search-field.tsx';
import { STATUSES, readFilter } from './search.ts';

/** The runs of all tenants, the newest first. The address has the filters. */
export function AllRunsPage(): JSX.Element {
  const client = useApi();
  const [search] = useSearchParams();
  const filter = readFilter(search);
  const pages = usePages([...KEYS.admin, 'runs', filter], (options) => client.admin.runs(filter, options));
  return (
    <>
      <Filters />
      <PagesView pages={pages} empty={<Empty title="No run is like that" />}>
        {(runs) => (
          <Table label="Runs of all tenants" columns={['Run', 'Tenant', 'Graph', 'Status', 'Began', 'By']}>
            {runs.map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </Table>
        )}
      </PagesView>
    </>
  );
}

function Row({ run }: { readonly run: AdminRun }): JSX.Element {
  const { id, tenantId, graph, status, error, pending, createdAt, createdBy } = run;
  return (
    <tr>
      <th scope="row">
        <Link href={`/admin/runs/${encodeURIComponent(id)}`} className="mono">
          {id}
        </Link>
      </th>
      <td>{tenantId}</td>
      <td>
        {graph.name}
        {graph.version !== null && `@${graph.version}`}
      </td>
      <td>
        <Status of={status} />
        {error && <p className="small-text">{error.code}</p>}
        {pending && <p className="small-text">not with Temporal yet: {pending.reason}</p>}
      </td>
      <td>
        <Ago at={createdAt} />
      </td>
      <td>{createdBy}</td>
    </tr>
  );
}

function Filters(): JSX.Element {
  const [chosen, choose] = useSearchField('status');
  return (
    <search className="admin-filters">
      <SearchField name="tenant" label="Tenant" />
      <SearchField name="graph" label="Graph" />
      <label>
        Status
        <select value={chosen} onChange={({ target }) => choose(target.value)}>
          <option value="">Any status</option>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
    </search>
  );
}

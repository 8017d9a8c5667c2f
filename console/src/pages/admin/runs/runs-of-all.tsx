import type { AdminRun } from 'holdfast/client';
import type { JSX } from 'react';
import { Link, useSearchParams } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { Empty } from '../../../parts/empty.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import './admin.css';
import { STATUSES, readFilter } from './admin-search.ts';

/** The runs of all tenants, the newest first. What is looked for stands in the address. */
export function RunsOfAll(): JSX.Element {
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
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string): void =>
    setSearch(
      (before) => {
        const { [name]: _, ...others } = Object.fromEntries(before);
        return new URLSearchParams(value === '' ? others : { ...others, [name]: value });
      },
      { replace: true },
    );
  return (
    <form className="admin-filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {(['tenant', 'graph'] as const).map((name) => (
        <input
          key={name}
          aria-label={name === 'tenant' ? 'Tenant' : 'Graph'}
          placeholder={name === 'tenant' ? 'Tenant' : 'Graph'}
          value={search.get(name) ?? ''}
          onChange={({ target }) => set(name, target.value)}
        />
      ))}
      <select
        aria-label="Status"
        value={search.get('status') ?? ''}
        onChange={({ target }) => set('status', target.value)}
      >
        <option value="">Any status</option>
        {STATUSES.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </select>
    </form>
  );
}

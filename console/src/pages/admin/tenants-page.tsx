import type { Tenant } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Changed, ForgetTenant } from './tenant-page.tsx';
import { formatLimit } from './drafts.ts';
import { toTenant } from '../paths.ts';

const PAGE = { limit: 100 };

/** The tenants with terms of their own, and a form that opens any other. */
export function TenantsPage(): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.admin, 'tenants'], (options) => client.admin.tenants(PAGE, options));
  return (
    <>
      <OpenTenant />
      <PagesView
        pages={pages}
        empty={<Empty title="No administrator has said anything of a tenant">The configuration counts for all.</Empty>}
      >
        {(tenants) => <Tenants tenants={tenants} />}
      </PagesView>
    </>
  );
}

/** Opens the page of a tenant by its name. Tenants need not be registered. */
function OpenTenant(): JSX.Element {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') navigate(toTenant(name.trim()));
      }}
    >
      <input
        aria-label="Tenant"
        placeholder="The name of a tenant"
        className="admin-name"
        spellCheck={false}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button">
        Open
      </button>
      <CopyAsCurl request={{ method: 'GET', path: '/admin/tenants' }} />
    </form>
  );
}

const COLUMNS = [
  'Tenant',
  'State',
  'New runs a minute',
  'US dollars a day',
  'Changed',
  { forReaders: 'What to do' },
] as const;

function Tenants({ tenants }: { readonly tenants: readonly Tenant[] }): JSX.Element {
  return (
    <Table label="Tenants" columns={COLUMNS}>
      {tenants.map(({ id, quotas, suspended, changedAt, changedBy }) => (
        <tr key={id}>
          <th scope="row">
            <Link href={toTenant(id)}>{id}</Link>
          </th>
          <td>
            <Status of={suspended ? 'disabled' : 'active'} label={suspended ? 'suspended' : 'active'} />
            {suspended && <p className="small-text">{suspended.reason}</p>}
          </td>
          <td>{formatLimit(quotas.runsPerMinute)}</td>
          <td>{formatLimit(quotas.costUsdPerDay)}</td>
          <td>
            <Changed at={changedAt} by={changedBy} />
          </td>
          <td>
            <ForgetTenant id={id} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

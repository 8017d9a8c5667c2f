import type { AuditEntry } from 'holdfast/client';
import type { JSX } from 'react';
import { Link, useSearchParams } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import './admin.css';
import { SearchField, useSearchField } from './search-field.tsx';
import { auditPath, readAuditFilter, fromLocalTime, toLocalTime } from './search.ts';

const COLUMNS = ['When', 'Who', 'Action', 'To what', 'Tenant', 'Run', 'Request'] as const;

/** The audit log, the newest entries first. The address has the filters. */
export function AuditPage(): JSX.Element {
  const client = useApi();
  const [search] = useSearchParams();
  const filter = readAuditFilter(search);
  const pages = usePages([...KEYS.admin, 'audit', filter], (options) => client.admin.audit(filter, options));
  return (
    <>
      <search className="admin-filters">
        <SearchField name="tenant" label="Tenant" />
        <SearchField name="by" label="Person" />
        <SearchField name="action" label="Action" hint="run, or run.cancel" />
        <SearchField name="run" label="Run" hint="run id" />
        <TimeField name="from" label="From" />
        <TimeField name="to" label="Before" />
      </search>
      <div className="row">
        <CopyAsCurl request={{ method: 'GET', path: auditPath(filter) }} />
      </div>
      <PagesView pages={pages} empty={<Empty title="Nobody has done anything like that" />}>
        {(entries) => (
          <Table label="Audit" columns={COLUMNS}>
            {entries.map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </Table>
        )}
      </PagesView>
    </>
  );
}

function TimeField({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  const [value, set] = useSearchField(name);
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={toLocalTime(value)}
        onChange={({ target }) => set(fromLocalTime(target.value))}
      />
    </label>
  );
}

function Row({ entry }: { readonly entry: AuditEntry }): JSX.Element {
  const { at, by, byTenantId, roles, action, subject, tenantId, runId, requestId } = entry;
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        {by}
        <p className="small-text muted">
          {roles.join(', ')} of {byTenantId}
        </p>
      </td>
      <th scope="row">{action}</th>
      <td className="mono">{subject ?? '—'}</td>
      <td>{tenantId}</td>
      <td>
        {runId === null ? (
          '—'
        ) : (
          <Link href={`/admin/runs/${encodeURIComponent(runId)}`} className="mono">
            {runId}
          </Link>
        )}
      </td>
      <td className="mono">{requestId}</td>
    </tr>
  );
}

import type { AuditFilter } from 'holdfast/client';

type Field = keyof AuditFilter;

/** What the fields of a filter are called in an address. */
const NAMES: Readonly<Record<Field, string>> = {
  tenantId: 'tenant',
  by: 'by',
  action: 'action',
  runId: 'run',
  from: 'from',
  to: 'to',
};

/** Reads what an address asks for, as a question for the API. What is no time counts as nothing. */
export function readAuditFilter(search: URLSearchParams): AuditFilter {
  const text = (field: Field): string | undefined => {
    const written = search.get(NAMES[field])?.trim() ?? '';
    return written === '' ? undefined : written;
  };
  const time = (field: 'from' | 'to'): string | undefined => {
    const written = text(field);
    return written !== undefined && isTime(written) ? written : undefined;
  };
  return {
    tenantId: text('tenantId'),
    by: text('by'),
    action: text('action'),
    runId: text('runId'),
    from: time('from'),
    to: time('to'),
  };
}

/** Writes the path that asks for the same. */
export function auditPath(filter: AuditFilter): string {
  const asked = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(asked).toString();
  return query === '' ? '/admin/audit' : `/admin/audit?${query}`;
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

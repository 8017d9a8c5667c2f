import type { AuditFilter, AdminRunFilter, RunStatus } from 'holdfast/client';

type Field = keyof AuditFilter;

/** The query parameters of the filters. */
const NAMES: Readonly<Record<Field, string>> = {
  tenantId: 'tenant',
  by: 'by',
  action: 'action',
  runId: 'run',
  from: 'from',
  to: 'to',
};

/** Converts the query of an address to a filter of the API. It ignores invalid times. */
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

/** Formats the path of a request with a filter. */
export function auditPath(filter: AuditFilter): string {
  const asked = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(asked).toString();
  return query === '' ? '/admin/audit' : `/admin/audit?${query}`;
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** Formats a time for a `datetime-local` input: to the minute, in the person's zone. An invalid time becomes empty. */
export function toLocalTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** Converts the content of a `datetime-local` input to RFC 3339, for the address; an invalid time becomes empty. */
export function fromLocalTime(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

export const STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'canceled',
];

const PAGE = 50;

/** Converts the query of an address to a filter of the API. It ignores unknown values. */
export function readFilter(search: URLSearchParams): AdminRunFilter {
  const status = STATUSES.find((one) => one === search.get('status'));
  const graph = search.get('graph')?.trim() ?? '';
  const tenantId = search.get('tenant')?.trim() ?? '';
  return {
    limit: PAGE,
    ...(status !== undefined && { status }),
    ...(graph !== '' && { graph }),
    ...(tenantId !== '' && { tenantId }),
  };
}

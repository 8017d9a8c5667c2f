import type { AuditFilter, AdminRunFilter, RunStatus } from 'holdfast/client';

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

/** Writes a time of an address as an input of times has it: to the minute, in the zone of the person. What is no time is empty. */
export function toLocalTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** Reads what stands in an input of times, as a time for an address (RFC 3339); what is no time is empty. */
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

/** Reads what an address asks for, as a question for the API. What it does not know counts as nothing. */
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

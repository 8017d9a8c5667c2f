import type { AuditFilter } from 'holdfast/client';

/** The texts of a search by their names in an address, and in the API. */
const TEXTS = { tenant: 'tenantId', by: 'by', action: 'action', run: 'runId' } as const;

/** Reads what an address asks for, as a question for the API. What is no time counts as nothing. */
export function readAuditFilter(search: URLSearchParams): AuditFilter {
  const texts = Object.entries(TEXTS).map(([name, asked]) => [asked, search.get(name)?.trim() ?? '']);
  const times = ['from', 'to'].map((name) => [name, search.get(name) ?? '']).filter(([, time]) => isTime(time));
  return Object.fromEntries([...texts.filter(([, text]) => text !== ''), ...times]);
}

/** Writes the path that asks for the same. */
export function auditPath(filter: AuditFilter): string {
  const query = new URLSearchParams(Object.entries(filter)).toString();
  return query === '' ? '/admin/audit' : `/admin/audit?${query}`;
}

function isTime(text = ''): boolean {
  return !Number.isNaN(Date.parse(text));
}

import type { AdminRunFilter, RunStatus } from 'holdfast/client';

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

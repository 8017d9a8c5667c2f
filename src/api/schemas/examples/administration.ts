/* A gateway that is down: its tool is switched off, one tenant has to wait, and the audit tells who did that. */

export const NEW_SWITCH_EXAMPLE = { state: 'off' as const, reason: 'The gateway is down until noon' };

export const SWITCH_EXAMPLE = {
  kind: 'tool' as const,
  name: 'charge',
  ...NEW_SWITCH_EXAMPLE,
  tenants: null,
  changedAt: '2026-11-24T09:20:00.000Z',
  changedBy: 'root',
};

export const NEW_TENANT_EXAMPLE = { runsPerMinute: 60, costUsdPerDay: null };

export const TENANT_EXAMPLE = {
  id: 'acme',
  quotas: {
    runsPerMinute: { limit: 60, source: 'admin' as const },
    costUsdPerDay: { limit: null, source: 'admin' as const },
  },
  suspended: null,
  changedAt: '2026-11-24T09:21:00.000Z',
  changedBy: 'root',
};

export const AUDIT_EXAMPLE = {
  id: '01M8004P2Q9V7K3N5R8T1W6X0Y.1',
  at: '2026-11-24T09:20:00.000Z',
  tenantId: 'demo',
  action: 'switch.off',
  subject: 'tool/charge',
  runId: null,
  by: 'root',
  byTenantId: 'demo',
  roles: ['admin'],
  requestId: '01M8004P2Q9V7K3N5R8T1W6X0Y',
};

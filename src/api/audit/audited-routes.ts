/** What a route does, for the audit. */
export interface AuditedRoute {
  readonly action: string;
  /** Names what it is done to. @param newId of what a request makes */
  readonly subject: (path: Readonly<Record<string, string>>, newId: string | undefined) => string | null;
}

/**
 * `handler`: the handler says what was done, as `acts` or by `recordAct`. `own`: the audit has no entry, because the route changes
 * nothing, or makes something that names its maker itself.
 */
type Auditing = AuditedRoute | 'handler' | 'own';

const withId = (action: string): AuditedRoute => ({ action, subject: ({ id }) => id ?? null });
const made = (action: string): AuditedRoute => ({ action, subject: (_path, newId) => newId ?? null });

/** Every route that changes something. */
export const AUDITED_ROUTES: Readonly<Record<string, Auditing>> = {
  'PUT /admin/switches/{kind}/{name}': 'handler',
  'DELETE /admin/switches/{kind}/{name}': {
    action: 'switch.delete',
    subject: ({ kind, name }) => `${kind ?? ''}/${name ?? ''}`,
  },
  'PUT /admin/tenants/{id}': withId('tenant.set'),
  'DELETE /admin/tenants/{id}': withId('tenant.delete'),
  'POST /admin/prune': 'handler',

  'POST /api/runs/{id}/pause': withId('run.pause'),
  'POST /api/runs/{id}/resume': withId('run.resume'),
  'POST /api/runs/{id}/replan': withId('run.replan'),
  'POST /api/runs/{id}/signal': withId('run.signal'),
  'POST /api/runs/{id}/cancel': withId('run.cancel'),
  'POST /api/runs/{id}/retry': withId('run.retry'),
  'POST /api/runs/{id}/skip': withId('run.skip'),
  'POST /api/runs/{id}/fail': withId('run.fail'),
  'POST /api/runs/bulk': 'handler',
  'PATCH /api/runs/{id}/state': withId('run.edit'),
  'POST /api/runs/{id}/fork': withId('run.fork'),
  'POST /api/runs/{id}/replay': withId('run.replay'),

  'POST /api/runs/{id}/approve': 'handler',
  'POST /api/runs/{id}/reject': 'handler',
  'POST /api/approvals/{id}/decision': 'handler',
  'POST /api/approvals/decisions': 'handler',
  'POST /api/chat/{graph}': 'handler',
  'POST /api/approvals/{id}/comment': withId('approval.comment'),
  'POST /api/approvals/{id}/remind': withId('approval.remind'),
  'POST /api/approvals/{id}/reassign': withId('approval.reassign'),

  'POST /api/graphs': 'handler',
  'DELETE /api/graphs/{name}/versions/{version}': {
    action: 'graph.unpublish',
    subject: ({ name, version }) => `${name ?? ''}@${version ?? ''}`,
  },
  'PUT /api/graphs/{name}/aliases/{alias}': {
    action: 'graph.alias.set',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },
  'DELETE /api/graphs/{name}/aliases/{alias}': {
    action: 'graph.alias.delete',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },

  'POST /api/schedules': made('schedule.create'),
  'PATCH /api/schedules/{id}': withId('schedule.change'),
  'DELETE /api/schedules/{id}': withId('schedule.delete'),
  'POST /api/schedules/{id}/trigger': withId('schedule.trigger'),
  'POST /api/schedules/{id}/backfill': withId('schedule.backfill'),

  'POST /api/webhooks': made('webhook.create'),
  'DELETE /api/webhooks/{id}': withId('webhook.delete'),
  'POST /api/webhooks/{id}/rotate': withId('webhook.rotate'),
  'POST /api/webhooks/{id}/enable': withId('webhook.enable'),
  'POST /api/webhooks/{id}/ping': withId('webhook.ping'),
  'POST /api/webhooks/{id}/deliveries/{deliveryId}/replay': withId('webhook.replay'),

  'PUT /api/hooks/{id}': withId('hook.put'),
  'DELETE /api/hooks/{id}': withId('hook.delete'),

  'POST /api/runs': 'own',
  'POST /api/hooks/{id}': 'own',
  'POST /api/blobs': 'own',
  'PUT /api/memory/{namespace}/{key}': 'own',
  'DELETE /api/memory/{namespace}/{key}': {
    action: 'memory.delete',
    subject: ({ namespace, key }) => `${namespace ?? ''}/${key ?? ''}`,
  },
  'POST /api/graphs/validate': 'own',
  'POST /api/graphs/{name}/test': 'own',
  'POST /api/runs/{id}/stream-ticket': 'own',
  'POST /console/local-sign-in': 'own',
};

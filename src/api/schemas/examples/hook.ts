/* A hook as requests and answers of the API show it. */

export const NEW_HOOK_EXAMPLE = {
  scheme: 'github' as const,
  secret: { secret: 'GITHUB_WEBHOOK_SECRET' },
  start: { graph: 'triage', input: { issue: '{{ body.issue }}', action: '{{ body.action }}' } },
};

export const HOOK_EXAMPLE = {
  id: 'issues',
  path: '/api/hooks/acme.issues',
  ...NEW_HOOK_EXAMPLE,
  createdAt: '2026-11-24T09:00:00.000Z',
  updatedAt: '2026-11-24T09:00:00.000Z',
  by: 'uma',
};

export const RECEIVED_EXAMPLE = { runId: '01M800DSH4JRWTXR3ARZ68NEG3' };

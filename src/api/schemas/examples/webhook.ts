/* A webhook and what it was told, as the answers of the API show them. */

export const NEW_WEBHOOK_EXAMPLE = {
  url: 'https://hooks.example.com/holdfast',
  events: ['run.failed', 'approval.requested'] as const,
};

export const WEBHOOK_EXAMPLE = {
  id: '01M8011XJ5V0Q2S3T4W5X6Y7Z8',
  ...NEW_WEBHOOK_EXAMPLE,
  format: 'standard' as const,
  linkBase: null,
  failingSince: null,
  disabled: null,
  createdAt: '2026-11-24T09:00:00.000Z',
  createdBy: 'uma',
};

export const SECRET_EXAMPLE = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

export const DELIVERY_EXAMPLE = {
  id: 'msg_6f1f0c3c5f0e4f2f9c8b1f5d2a7e4b90',
  type: 'approval.requested' as const,
  runId: '01M800DSH4JRWTXR3ARZ68NEG3',
  status: 'pending' as const,
  attempts: [{ at: '2026-11-24T09:30:00.611Z', status: 503, error: null, durationMs: 84 }],
  nextAttemptAt: '2026-11-24T09:30:05.981Z',
  createdAt: '2026-11-24T09:30:00.215Z',
};

/* The calls of the refund of the other examples. */

import { INTERVENTION_EXAMPLE } from './run.ts';

export const CALL_EXAMPLE = {
  key: INTERVENTION_EXAMPLE.idempotencyKey,
  kind: 'tool',
  name: INTERVENTION_EXAMPLE.tool,
  node: INTERVENTION_EXAMPLE.node,
  visit: 1,
  step: 1,
  at: INTERVENTION_EXAMPLE.since,
  undoes: false,
  local: false,
  status: 'completed',
  request: INTERVENTION_EXAMPLE.args,
  reply: { id: 'refund_ef500e52', amount: 50 },
  error: null,
  attempts: 2,
  failedAttempts: [
    {
      at: INTERVENTION_EXAMPLE.since,
      error: { code: 'TOOL_FAILED', message: 'issue_refund answered 503', attempts: 1 },
    },
  ],
  nextAttemptAt: null,
  durationMs: 1_204,
  context: null,
  usage: null,
  costUsd: null,
};

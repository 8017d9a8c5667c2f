/* The refund of the other examples, explained while it waits. */

import { APPROVAL_EXAMPLE, RUN_EXAMPLE } from './run.ts';

const { id: runId, workflowId } = RUN_EXAMPLE;
const { id: approvalId, requestedAt: since, expiresAt: deadline, title } = APPROVAL_EXAMPLE;
const WHY = `Node ask waits until ${deadline} for approver to decide: ${title}`;

export const EXPLANATION_EXAMPLE = {
  runId,
  status: 'waiting',
  summary: WHY,
  since,
  reasons: [{ kind: 'approval', text: WHY, since, node: 'ask', id: approvalId, deadline }],
  budget: [{ limit: 'maxSteps', allowed: 25, used: 1, left: 24 }],
  deadline: null,
  actions: [
    {
      action: 'approve',
      effect: 'Approves what is asked.',
      who: 'approver',
      allowed: true,
      command: {
        curl: `curl -X POST "$HOLDFAST_URL/api/approvals/${approvalId}/decision" -H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json' -d '{"decision":"approve"}'`,
        holdfast: `npx holdfast approve ${approvalId}`,
        temporal: `temporal workflow signal --workflow-id ${workflowId} --name approve --input '{"approvalId":"${approvalId}"}'`,
      },
    },
  ],
};

/** The hash of the definition below. */
export const HASH_EXAMPLE = '7b0c9c3a5f0e4d2f8b1a6c7e9d3f5a2b4c6e8f0a1b3d5f7092a4b6c8d0e2f416';

/** The first graph in the README. */
export const DEFINITION_EXAMPLE = {
  name: 'order-summary',
  channels: { number: { schema: { type: 'string' } }, order: {}, summary: {} },
  input: ['number'],
  output: ['summary'],
  nodes: {
    lookup: {
      type: 'tool',
      tool: 'lookup_order',
      args: { number: '{{ state.number }}' },
      write: { order: '{{ result.orders[0] }}' },
    },
    summarize: { type: 'set', write: { summary: '{{ state.order.item }}' } },
  },
  edges: [
    { from: '__start__', to: 'lookup' },
    { from: 'lookup', to: 'summarize' },
    { from: 'summarize', to: '__end__' },
  ],
};

export const ISSUE_EXAMPLE = {
  code: 'UNKNOWN_TOOL',
  severity: 'error',
  path: '/nodes/lookup/tool',
  message: 'There is no tool "lookup_orders". Did you mean "lookup_order"?',
};

export const PROBLEM_EXAMPLE = {
  type: 'urn:holdfast:problem:invalid-graph',
  title: 'Invalid graph',
  status: 422,
  code: 'INVALID_GRAPH',
  detail: 'The definition has 1 error',
  instance: '/api/graphs',
  issues: [ISSUE_EXAMPLE],
};

export const RUN_ID = '01M800DSH4JRWTXR3ARZ68NEG3';

const APPROVAL_ID = `${RUN_ID}.a1`;

export const CALL_KEY = `${RUN_ID}:pay:1:1:0`;

export const ASKED_AT = '2026-11-24T09:30:00.215Z';

export const DECIDED_AT = '2026-11-24T09:41:12.804Z';

/** A run that waits for the approval below. */
export const RUN_EXAMPLE = {
  id: RUN_ID,
  status: 'waiting',
  graph: { name: 'pay-back', version: 1, hash: HASH_EXAMPLE },
  threadId: null,
  parentRunId: null,
  forks: [],
  replayOf: null,
  divergence: null,
  step: 0,
  next: ['ask'],
  waitingFor: [
    { kind: 'approval', node: 'ask', id: APPROVAL_ID, since: ASKED_AT, deadline: '2026-11-26T09:30:00.215Z' },
  ],
  retrying: [],
  pending: null,
  input: { number: 'A-1002', amount: 100 },
  output: null,
  error: null,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 },
  limits: {},
  metadata: {},
  createdBy: 'uma',
  createdAt: '2026-11-24T09:30:00.000Z',
  startedAt: '2026-11-24T09:30:00.120Z',
  endedAt: null,
  lastSeq: 5,
  workflowId: `run:demo:${RUN_ID}`,
};

/** The approval of the run, decided with another amount. */
export const APPROVAL_EXAMPLE = {
  id: APPROVAL_ID,
  runId: RUN_ID,
  node: 'ask',
  title: 'Pay back 100 USD of A-1002?',
  details: null,
  args: { order: 'A-1002', amount: 100 },
  digest: '5d1f3c8e9a7b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f',
  argsSchema: null,
  decisionSchema: null,
  policy: { roles: ['approver'], requireReason: true },
  who: 'approver',
  progress: { needed: 1, by: ['ada'] },
  status: 'approved',
  decisions: [
    {
      by: 'ada',
      decision: 'approve',
      reason: 'one side is silent',
      at: DECIDED_AT,
      args: { order: 'A-1002', amount: 50 },
      values: null,
    },
  ],
  previous: [],
  requestedBy: 'uma',
  requestedAt: ASKED_AT,
  expiresAt: '2026-11-26T09:30:00.215Z',
};

export const EVENT_EXAMPLES = [
  { seq: 1, type: 'run.started', at: ASKED_AT, step: -1, graph: { name: 'pay-back', version: 1 }, by: 'uma' },
  { seq: 6, type: 'tool.requested', at: DECIDED_AT, step: 1, node: 'pay', visit: 1, tool: 'issue_refund' },
];

/** A node that waits because the outcome of its call is unknown. */
export const INTERVENTION_EXAMPLE = {
  runId: RUN_ID,
  id: 'pay:1:1',
  node: 'pay',
  since: DECIDED_AT,
  tool: 'issue_refund',
  args: { order: 'A-1002', amount: 50, reason: 'one side is silent' },
  idempotencyKey: CALL_KEY,
  error: {
    code: 'UNKNOWN_OUTCOME',
    message: 'It is unknown whether the call was made: the worker is gone',
    node: 'pay',
    step: 1,
  },
  choices: [
    { action: 'retry', effect: 'Makes the call again under the same key; it may have been made before.' },
    {
      action: 'skip',
      effect: 'Goes on with the output that you give, as if the node had returned it. Nothing is called.',
    },
    { action: 'fail', effect: 'Fails the node, and the run with it.' },
  ],
};

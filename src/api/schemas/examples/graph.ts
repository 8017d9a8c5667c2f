/** The hash of the definition below. */
export const HASH_EXAMPLE = '7b0c9c3a5f0e4d2f8b1a6c7e9d3f5a2b4c6e8f0a1b3d5f7092a4b6c8d0e2f416';

/** The first graph of the README. */
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

export const GRAPH_SUMMARY_EXAMPLE = {
  name: 'order-summary',
  version: 1,
  hash: HASH_EXAMPLE,
  createdAt: '2026-11-24T09:00:00.000Z',
  createdBy: 'uma',
  unpublished: null,
};

export const GRAPH_DIFF_EXAMPLE = {
  name: 'order-summary',
  from: 1,
  to: 2,
  changes: [
    {
      kind: 'changed',
      path: '/nodes/summarize/write',
      before: { summary: '{{ state.order.item }}' },
      after: { summary: '{{ state.order.item }} for {{ state.order.total }} USD' },
    },
    { kind: 'added', path: '/limits/maxSteps', after: 10 },
  ],
};

export const GRAPH_ALIAS_EXAMPLE = {
  name: 'order-summary',
  alias: 'live',
  version: 1,
  canary: { version: 2, share: 0.1 },
  updatedAt: '2026-11-24T09:05:00.000Z',
  by: 'uma',
};

export const ISSUE_EXAMPLE = {
  code: 'UNKNOWN_TOOL',
  severity: 'error',
  path: '/nodes/lookup/tool',
  message: 'There is no tool "lookup_orders". Did you mean "lookup_order"?',
};

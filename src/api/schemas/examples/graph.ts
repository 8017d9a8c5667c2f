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

const ORDER = { item: 'a lamp', total: 40 };

/** A test of the first graph in the README. */
export const GRAPH_TEST_EXAMPLE = {
  input: { number: 'A-1' },
  outputs: { lookup: [{ orders: [ORDER] }] },
  decisions: [],
  events: [],
  expect: { path: ['lookup', 'summarize'], state: { summary: 'a lamp' } },
};

export const TESTED_GRAPH_EXAMPLE = {
  status: 'completed',
  path: ['lookup', 'summarize'],
  steps: [['lookup'], ['summarize']],
  state: { number: 'A-1', order: ORDER, summary: 'a lamp' },
  output: { summary: 'a lamp' },
  error: null,
  mismatch: null,
};

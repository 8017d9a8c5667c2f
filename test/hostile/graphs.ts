/** Harmless published graphs, which the attacks use. */

const only = (node: object) => ({
  nodes: { only: node },
  edges: [
    { from: '__start__', to: 'only' },
    { from: 'only', to: '__end__' },
  ],
});

export const HARMLESS_GRAPHS = [
  {
    name: 'trivial',
    channels: { done: {} },
    input: [],
    output: ['done'],
    ...only({ type: 'set', write: { done: true } }),
  },
  {
    name: 'open',
    channels: {
      text: { schema: { type: 'string', pattern: '^(a|b)*$' } },
      list: { reducer: 'append', schema: { type: 'array', uniqueItems: true } },
      chat: { reducer: 'messages' },
      bag: { reducer: 'merge' },
    },
    ...only({ type: 'set', write: { bag: { copy: '{{ state.list }}', text: 'It is {{ state.text }}' } } }),
  },
  {
    name: 'calling',
    channels: { o: { schema: { type: 'object' } }, text: {} },
    input: [],
    nodes: {
      only: { type: 'tool', tool: 'echo', args: { what: 'it' }, write: 'o' },
      after: { type: 'set', write: { text: 'It said {{ state.o }}' } },
    },
    edges: [
      { from: '__start__', to: 'only' },
      { from: 'only', to: 'after' },
      { from: 'after', to: '__end__' },
    ],
  },
  {
    name: 'thinking',
    channels: { chat: { reducer: 'messages' } },
    input: [],
    ...only({ type: 'agent', model: 'default', prompt: 'Do it', tools: ['echo'] }),
  },
  {
    name: 'waiting',
    channels: { o: {}, decision: {} },
    input: [],
    nodes: {
      ask: { type: 'approval', title: 'May it go on?', args: { a: 1 }, write: 'decision' },
      wait: { type: 'wait', event: 'e', write: 'o' },
      done: { type: 'set', write: { o: '{{ state.o }}' } },
    },
    edges: [
      { from: '__start__', to: ['ask', 'wait'] },
      { from: ['ask', 'wait'], to: 'done' },
      { from: 'done', to: '__end__' },
    ],
  },
] as const;

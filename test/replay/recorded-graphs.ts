import type { NodeDefinition, NodeOfType } from '../../src/graph/definition/definition.ts';
import { aDefinition, chainOf } from '../support/builders/builders.ts';

/* The graphs of the runs that are recorded (`recorded-runs.ts`). */

export const job = (
  name: string,
  over: Partial<Extract<NodeOfType<'tool'>, { tool: string }>> = {},
): NodeOfType<'tool'> & { tool: string } => ({
  type: 'tool',
  tool: 'work',
  args: { job: name },
  write: { log: name },
  ...over,
});
const undone = (name: string) => job(name, { compensate: { tool: 'work', args: { job: `undo ${name}` } } });
const adds = (text: string) => ({ type: 'set', write: { log: text } }) as const;
const log = { reducer: 'append' } as const;
export const conversation = { log, messages: { reducer: 'messages' } } as const;
export const said = { messages: { id: 'u', role: 'user', content: 'Do it' } };

const child = aDefinition({
  name: 'child',
  channels: { item: {}, log },
  nodes: { inside: job('inside'), rest: { type: 'wait', for: '20ms' } },
});

export const everyNode = {
  name: 'every-node',
  channels: { ...conversation, items: { default: ['a', 'b'] }, n: {}, verdict: {} },
  nodes: {
    begin: adds('begin'),
    judge: { type: 'llm', prompt: 'Judge', output: { type: 'object' }, write: { verdict: '{{ result.object }}' } },
    count: { type: 'function', function: 'two', write: { n: '{{ result.two }}' } },
    choose: { type: 'threshold', value: '{{ state.n }}', above: 'each', otherwise: 'end', mayGoto: ['each', 'end'] },
    each: { type: 'subgraph', graph: child, input: { item: '{{ item }}' }, write: { log: '{{ result.log }}' } },
    away: job('away', { tool: 'elsewhere' }),
    think: { type: 'agent', messages: 'messages', tools: ['work', 'elsewhere'] },
    ask: { type: 'llm', messages: 'messages', tools: ['work'], write: { messages: '{{ result.message }}' } },
    make: { type: 'tool', calls: 'messages', tools: ['work'] },
    end: adds('end'),
    last: { type: 'set', defer: true, write: { log: 'last' } },
  },
  edges: [
    { from: '__start__', to: ['begin', 'last'] },
    { from: 'begin', to: ['judge', 'count'] },
    { from: ['judge', 'count'], to: 'choose' },
    { from: 'choose', forEach: 'state.items', to: 'each', maxConcurrency: 1 },
    { from: 'each', route: "size(state.log) > 1 ? 'away' : 'end'", paths: { away: 'away', end: 'end' } },
    { from: 'away', branches: [{ when: 'state.n > 1', to: 'think' }, { to: 'end' }] },
    { from: 'think', to: 'ask' },
    { from: 'ask', to: 'make' },
    { from: 'make', to: 'end' },
  ],
  limits: { deadline: '1h', maxTokens: 100_000 },
};

export const agent = aDefinition({
  channels: conversation,
  nodes: { think: { type: 'agent', messages: 'messages', tools: ['work', 'ask', 'elsewhere'] }, end: job('end') },
});

/** A graph that an agent calls as a tool. */
export const helper = aDefinition({
  name: 'helper',
  channels: { job: {}, log },
  nodes: {
    ask: { type: 'approval', title: '{{ state.job }}?' },
    inside: job('inside'),
    rest: { type: 'wait', for: '20ms' },
  },
  input: ['job'],
  output: ['log'],
});

export const graphTools = aDefinition({
  channels: conversation,
  nodes: { think: { type: 'agent', messages: 'messages', tools: [{ graph: 'helper' }, 'work'] }, end: job('end') },
});

export const outside = aDefinition({
  nodes: {
    around: {
      type: 'subgraph',
      graph: aDefinition({ name: 'asks', nodes: { inside: job('inside'), judge: { type: 'llm', prompt: 'Judge' } } }),
    },
    end: job('end'),
  },
});

export const askedCalls = aDefinition({
  channels: conversation,
  nodes: {
    talk: { type: 'llm', messages: 'messages', tools: ['ask', 'unclear'], write: { messages: '{{ result.message }}' } },
    make: { type: 'tool', calls: 'messages' },
    pay: job('pay', { tool: 'ask' }),
    end: job('end'),
  },
});

export const approvals = aDefinition({
  nodes: {
    expires: { type: 'approval', title: 'Quick?', timeout: '300ms', write: { log: '{{ result.decision }}' } },
    refused: { type: 'approval', title: 'Fine?', policy: { requireReason: true } },
    both: {
      type: 'approval',
      title: 'Both?',
      args: { amount: 1 },
      policy: { roles: ['nobody'], escalate: [{ after: '100ms', roles: ['admin'] }] },
    },
    end: job('end'),
  },
  edges: [
    { from: '__start__', to: ['expires', 'refused', 'both'] },
    { from: ['expires', 'refused', 'both'], to: 'end' },
  ],
});

const intervene = { onError: 'intervene' } as const;
export const interventions = aDefinition({
  nodes: {
    paid: undone('paid'),
    unclear: job('unclear', { tool: 'unclear' }),
    skipped: job('skipped', { tool: 'refused', ...intervene }),
    again: job('again', { tool: 'refused', ...intervene }),
    given: job('given', { tool: 'never', ...intervene }),
  },
});

export const repairable = aDefinition({
  nodes: { paid: job('paid'), refused: job('refused', { tool: 'refused' }), end: job('end') },
});

export const cancelable = aDefinition({
  channels: { log },
  nodes: { paid: undone('paid'), slow: job('slow', { tool: 'slow' }), bye: job('bye') },
  edges: chainOf(['paid', 'slow']),
  onCancel: 'bye',
});

export const unpaid = aDefinition({
  nodes: {
    paid: job('paid', { compensate: { tool: 'never', args: { job: 'undo' } } }),
    broken: job('broken', { tool: 'never' }),
  },
});

export const unknownUndo = aDefinition({
  nodes: {
    paid: job('paid', { compensate: { tool: 'unclear', args: { job: 'undo' } } }),
    broken: job('broken', { tool: 'never' }),
  },
});

export const twice = aDefinition({
  nodes: { one: job('one', { tool: 'never', ...intervene }), two: job('two', { tool: 'never', ...intervene }) },
  edges: [{ from: '__start__', to: ['one', 'two'] }],
});

export const large = aDefinition({
  channels: { log, text: {} },
  nodes: {
    fetch: job('fetch', { tool: 'large', write: { text: '{{ result.text }}' } }),
    ask: { type: 'approval', title: 'Is it long enough?' },
    end: job('end'),
  },
});

export const waits = aDefinition({
  channels: { log, got: {} },
  nodes: {
    first: job('first'),
    event: { type: 'wait', event: 'go', timeout: '1h', write: { got: '{{ result }}' } },
    nap: { type: 'wait', for: '50ms' },
    end: adds('end'),
  },
  interruptBefore: ['nap'],
});

export const commands = aDefinition({
  nodes: {
    look: { type: 'function', function: 'pauses' },
    leave: { type: 'function', function: 'replans', mayGoto: ['end'] },
    never: adds('never'),
    end: job('end'),
  },
});

export const late = aDefinition({
  nodes: { paid: undone('paid'), slow: job('slow', { tool: 'slow' }) },
  limits: { deadline: '1s' },
});

export const longTalk = {
  messages: Array.from({ length: 6 }, (_, at) => ({ id: `u${at}`, role: 'user', content: 'long '.repeat(80) })),
};
const summarizes = {
  type: 'llm',
  messages: 'messages',
  context: { maxTokens: 400, strategy: 'summarize' },
  maxOutputTokens: 20,
  write: { log: '{{ result.text }}' },
} as const;

/** A summary reads more than the two that begin together leave each other. */
export const crowded = aDefinition({
  channels: conversation,
  nodes: { one: summarizes, two: summarizes },
  edges: [{ from: '__start__', to: ['one', 'two'] }],
  limits: { maxTokens: 900 },
});

const timed = (deadline: string, ...nodes: readonly (readonly [string, NodeDefinition])[]): NodeDefinition => ({
  type: 'subgraph',
  deadline,
  graph: aDefinition({ name: 'timed', nodes: Object.fromEntries(nodes) }),
});
const slow = ['slow', job('slow', { tool: 'slow' })] as const;

/** The clocks of subgraphs stand still while a person is asked; a wait gives up before its own time. */
export const overdue = aDefinition({
  channels: { log, items: { default: [1, 2] } },
  nodes: {
    each: {
      ...timed('1s', ['ask', { type: 'approval', title: 'Fine?' }], ['paid', undone('paid')], slow),
      onError: { to: 'end' },
    },
    nap: { type: 'wait', event: 'never', timeout: '1h', deadline: '300ms', onError: { to: 'end' } },
    end: job('end'),
  },
  edges: [
    { from: '__start__', to: 'nap' },
    { from: '__start__', forEach: 'state.items', to: 'each' },
  ],
});

export const nestedOverdue = aDefinition({
  nodes: { outer: timed('500ms', ['paid', job('paid')], ['inner', timed('1m', slow)]) },
});

/** What the others have done is written while the last one is still at work. */
export const straggling = aDefinition({
  nodes: { a: job('a'), b: job('b'), last: job('last', { tool: 'straggles' }) },
  edges: [{ from: '__start__', to: ['a', 'b', 'last'] }],
});

/** One call waits for its second attempt while what the other has done is written. */
export const unlucky = aDefinition({
  nodes: { a: undone('a'), b: { ...undone('b'), tool: 'unlucky' } },
  edges: [{ from: '__start__', to: ['a', 'b'] }],
});

/** Arguments that the tools' own schemas read: in the worker of the workflow task, in an activity, before a question. */
export const readings = aDefinition({
  channels: conversation,
  nodes: {
    here: job('here', { tool: 'reads' }),
    there: job('there', { tool: 'reads_elsewhere' }),
    asked: job('in parts', { tool: 'reads' }),
  },
});

/** Bursts of local calls: ones that fill one, others that activities go on with, and one that never comes back. */
export const local = aDefinition({
  channels: { ...conversation, items: { default: ['a', 'b', 'c'] } },
  nodes: {
    each: job('each', { tool: 'look', args: { job: '{{ item }}' } }),
    dawdles: job('dawdles', { tool: 'dawdles' }),
    next: job('next', { tool: 'look' }),
    two: { type: 'function', function: 'two', execution: 'local', timeout: '1s' },
    hangs: job('hangs', { tool: 'hangs' }),
    stumbles: job('stumbles', { tool: 'stumbles' }),
    both: job('both', { tool: 'look' }),
    other: job('other'),
    after: job('after', { tool: 'look' }),
    more: job('more', { tool: 'look' }),
    late: timed('1s', ['hangs', job('hangs', { tool: 'hangs' })]),
  },
  edges: [
    { from: '__start__', forEach: 'state.items', to: 'each' },
    ...['dawdles', 'next', 'two', 'hangs', 'stumbles'].map((to, at, all) => ({ from: all[at - 1] ?? 'each', to })),
    { from: 'stumbles', to: ['both', 'other'] },
    { from: ['both', 'other'], to: ['after', 'more'] },
    { from: ['after', 'more'], to: 'late' },
  ],
});

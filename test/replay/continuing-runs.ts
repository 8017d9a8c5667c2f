import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aDefinition, chainOf } from '../support/builders/builders.ts';
import { aJob } from '../support/readers/api-states.ts';
import { LANGUAGE_RUNS } from './language-runs.ts';
import type { LanguageRun } from './language-runs.ts';

/*
 * Runs with something of everything that an execution can hand over: calls that are wanted, approvals that are pending,
 * timers that run, branches, loops, graphs inside, an agent in the middle of its turn, failures, work to undo.
 */

const child: GraphDefinition = aDefinition({
  name: 'child',
  channels: { item: {}, log: { reducer: 'append' } },
  nodes: {
    first: aJob('child {{ state.item }}'),
    rest: { type: 'wait', for: '20ms' },
    last: aJob('last {{ state.item }}'),
  },
});

const branches: GraphDefinition = aDefinition({
  channels: { items: { default: ['a', 'b', 'c'] }, log: { reducer: 'append' } },
  nodes: {
    left: aJob('left'),
    right: aJob('right'),
    inside: { type: 'subgraph', graph: child, input: { item: '{{ item }}' }, write: { log: '{{ result.log }}' } },
    end: aJob('end'),
  },
  edges: [
    { from: '__start__', to: ['left', 'right'] },
    { from: ['left', 'right'], forEach: 'state.items', to: 'inside', maxConcurrency: 2 },
    { from: 'inside', to: 'end' },
  ],
  limits: { deadline: '1h' },
});

const loops: GraphDefinition = aDefinition({
  nodes: { again: aJob('{{ "round " + string(run.visit) }}') },
  edges: [
    { from: '__start__', to: 'again' },
    { from: 'again', branches: [{ when: 'size(state.log) < 8', to: 'again' }, { to: '__end__' }] },
  ],
});

const breaks: GraphDefinition = aDefinition({
  channels: { log: { reducer: 'append' }, v: { default: {} } },
  nodes: {
    pay: aJob('pay', { compensate: { tool: 'work', args: { job: 'pay back' } } }),
    read: { type: 'set', write: { log: '{{ state.v.x }}' } },
  },
});

const cancels: GraphDefinition = aDefinition({
  nodes: {
    pay: aJob('pay', { compensate: { tool: 'work', args: { job: 'pay back' } } }),
    ask: { type: 'approval', title: 'Go on?' },
    bye: aJob('bye'),
  },
  edges: chainOf(['pay', 'ask']),
  onCancel: 'bye',
});

const agent: GraphDefinition = aDefinition({
  channels: { messages: { reducer: 'messages' }, log: { reducer: 'append' } },
  nodes: {
    think: {
      type: 'agent',
      messages: 'messages',
      tools: ['work', 'ask'],
      maxIterations: 3,
      write: { log: '{{ result.text }}' },
    },
    end: aJob('end'),
  },
});

const approvals = { when: 'waiting', control: 'approve', body: {}, forEachApproval: true } as const;

export const CONTINUING_RUNS: readonly LanguageRun[] = [
  ...LANGUAGE_RUNS.filter(({ name }) => name === 'parts' || name === 'replanned'),
  { name: 'branches', graph: branches, input: {}, steps: [] },
  { name: 'loops', graph: loops, input: {}, steps: [] },
  { name: 'breaks and is undone', graph: breaks, input: {}, steps: [] },
  {
    name: 'is canceled and undone',
    graph: cancels,
    input: {},
    steps: [{ when: 'waiting', control: 'cancel', body: {} }],
  },
  {
    name: 'an agent',
    graph: agent,
    input: { messages: { id: 'u', role: 'user', content: 'Do it' } },
    steps: [approvals],
  },
];

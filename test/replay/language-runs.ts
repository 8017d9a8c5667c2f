import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';

/** A run of a graph that uses parts of the language that the demo does not, and what people do to it. */
export interface LanguageRun {
  readonly name: string;
  readonly graph: GraphDefinition;
  readonly input: JsonObject;
  /** In order; each one when the run has the status that is given. */
  readonly steps: readonly LanguageStep[];
}

export interface LanguageStep {
  /** A status, or that of a node which waits. */
  readonly when: 'waiting' | `waiting:${string}` | 'paused' | 'failed';
  /** A route under `/api/runs/{id}/`. */
  readonly control: string;
  readonly body: Json;
  /** Once for each approval that waits. */
  readonly forEachApproval?: boolean;
}

const child: GraphDefinition = {
  name: 'child',
  channels: { item: {}, answer: {} },
  nodes: {
    ask: { type: 'approval', title: 'Is {{ state.item }} fine?', write: { answer: '{{ result.decision }}' } },
    rest: { type: 'wait', for: '10ms' },
  },
  edges: [
    { from: '__start__', to: 'ask' },
    { from: 'ask', to: 'rest' },
  ],
};

const parts: GraphDefinition = {
  name: 'parts',
  channels: { items: {}, answers: { reducer: 'append' }, paid: {}, log: { reducer: 'append' } },
  nodes: {
    choose: { type: 'set', write: { log: 'chosen' } },
    each: {
      type: 'subgraph',
      graph: child,
      input: { item: '{{ item }}' },
      write: { answers: '{{ result.answer }}' },
    },
    payment: { type: 'wait', event: 'paid', timeout: '1h', write: 'paid' },
    done: { type: 'set', write: { log: 'done' } },
    last: { type: 'set', defer: true, write: { log: 'last' } },
  },
  edges: [
    { from: '__start__', to: ['choose', 'last'] },
    { from: 'choose', route: "size(state.items) > 0 ? 'some' : 'none'", paths: { some: 'branch', none: 'done' } },
    { from: 'branch', forEach: 'state.items', to: 'each', maxConcurrency: 2 },
    { from: 'each', to: 'payment' },
    { from: 'payment', to: 'done' },
  ],
  interruptAfter: ['payment'],
};

/** The graph, with the node that its route leads to. */
const graph: GraphDefinition = {
  ...parts,
  nodes: { ...parts.nodes, branch: { type: 'set', write: { log: 'branch' } } },
  limits: { deadline: '2h' },
};

/** A graph that fails at its second node, and has a call to undo. */
const repairable: GraphDefinition = {
  name: 'repairable',
  channels: { v: { default: {} }, log: { reducer: 'append' } },
  nodes: {
    find: { type: 'tool', tool: 'lookup_order', args: { number: 'A-1001' }, write: { log: 'found' } },
    read: { type: 'set', write: { log: '{{ state.v.x }}' } },
  },
  edges: [
    { from: '__start__', to: 'find' },
    { from: 'find', to: 'read' },
  ],
};

const payable: GraphDefinition = {
  name: 'payable',
  channels: { log: { reducer: 'append' } },
  nodes: {
    pay: {
      type: 'tool',
      tool: 'issue_refund',
      args: { order: 'A-1004', amount: 1, reason: 'recorded' },
      compensate: { tool: 'lookup_order', args: { number: '{{ result.order }}' } },
    },
    ask: { type: 'approval', title: 'Go on?' },
    bye: { type: 'tool', tool: 'lookup_order', args: { number: 'A-1004' }, write: { log: 'bye' } },
  },
  edges: [
    { from: '__start__', to: 'pay' },
    { from: 'pay', to: 'ask' },
  ],
  onCancel: 'bye',
};

export const LANGUAGE_RUNS: readonly LanguageRun[] = [
  {
    name: 'parts',
    graph,
    input: { items: ['a', 'b', 'c'] },
    steps: [
      { when: 'waiting', control: 'approve', body: {}, forEachApproval: true },
      { when: 'waiting', control: 'approve', body: {}, forEachApproval: true },
      { when: 'waiting:payment', control: 'signal', body: { event: 'paid', payload: 7 } },
      { when: 'paused', control: 'resume', body: { values: { log: 'resumed' } } },
    ],
  },
  {
    name: 'replanned',
    graph,
    input: { items: ['a'] },
    steps: [
      { when: 'waiting', control: 'pause', body: { reason: 'a look' } },
      { when: 'paused', control: 'replan', body: { node: 'payment' } },
      { when: 'waiting:payment', control: 'signal', body: { event: 'other' } },
      { when: 'waiting:payment', control: 'signal', body: { event: 'paid' } },
      { when: 'paused', control: 'resume', body: {} },
    ],
  },
  {
    name: 'canceled',
    graph,
    input: { items: ['a', 'b'] },
    steps: [{ when: 'waiting', control: 'cancel', body: { reason: 'enough' } }],
  },
  {
    name: 'reopened',
    graph: repairable,
    input: {},
    steps: [{ when: 'failed', control: 'replan', body: { node: 'find', values: { v: { x: 1 } } } }],
  },
  {
    name: 'undone',
    graph: payable,
    input: {},
    steps: [{ when: 'waiting', control: 'cancel', body: {} }],
  },
];

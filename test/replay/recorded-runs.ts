import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import {
  job,
  conversation,
  said,
  everyNode,
  agent,
  graphTools,
  helper,
  outside,
  readings,
  askedCalls,
  approvals,
  interventions,
  repairable,
  cancelable,
  unpaid,
  unknownUndo,
  twice,
  large,
  waits,
  commands,
  late,
  longTalk,
  crowded,
  overdue,
  nestedOverdue,
  straggling,
  unlucky,
  local,
} from './recorded-graphs.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { times } from './times.ts';

/** A run that is recorded, and what is done to it; tools and models are those of `recording.config.ts`. */
export interface RecordedRun {
  readonly name: string;
  /** A definition, which may have nodes of registered types. */
  readonly graph: object;
  /** Graphs that are published before. */
  readonly publishes?: readonly GraphDefinition[];
  readonly input?: JsonObject;
  /** Another run of the thread goes before it. */
  readonly threadId?: string;
  readonly steps?: readonly RecordedStep[];
  /** A fork of the run, once it has ended, at the checkpoint of this number; it is recorded too. */
  readonly forkAt?: number;
}

/** Something that is done when a run has a status, or has said an event. */
export type RecordedStep = { readonly when: string } & (
  | { readonly control: string; readonly body?: JsonObject }
  /** Says yes to everything that is asked by then. */
  | { readonly approve: number }
  | { readonly signal: string; readonly payload?: Json }
  | { readonly isCancelRequested: true }
);

const ADMIN = { sub: 'ada', roles: ['admin'] };
const approve = { when: 'waiting', approve: 1 } as const;
const everythingUnclear: readonly RecordedStep[] = [
  { when: 'waiting', control: 'retry' },
  { when: 'waiting:skipped', control: 'skip', body: { output: { job: 'by hand' } } },
  { when: 'waiting:again', control: 'retry' },
  { when: 'waiting:given', control: 'fail', body: { reason: 'enough' } },
];

/** Together they use all of the language, and all that can be done to a run. */
export const RECORDED_RUNS: readonly RecordedRun[] = [
  { name: 'every-node', graph: everyNode, input: said },
  { name: 'subgraph', graph: outside },
  { name: 'agent', graph: agent, input: said, steps: [approve] },
  { name: 'graph-tools', graph: graphTools, publishes: [helper], input: said, steps: [approve] },
  {
    name: 'asked-calls',
    graph: askedCalls,
    input: said,
    steps: [
      { when: 'waiting', approve: 1 },
      { when: 'waiting:make', control: 'skip', body: { output: { job: 'by hand' } } },
      { when: 'waiting:pay', control: 'pause', body: {} },
      { when: 'paused', approve: 1 },
      { when: 'paused', control: 'resume' },
    ],
  },
  {
    name: 'approvals',
    graph: approvals,
    steps: [
      { when: 'approval.expired', signal: 'reject', payload: { approvalId: 'RUN.a3', reason: 'no' } },
      { when: 'waiting', signal: 'reassign', payload: { approvalId: 'RUN.a1', by: ADMIN, users: ['ada', 'bob'] } },
      { when: 'waiting', signal: 'approve', payload: { approvalId: 'RUN.a1', by: ADMIN, args: { amount: 2 } } },
    ],
  },
  { name: 'interventions', graph: interventions, steps: everythingUnclear },
  { name: 'retried', graph: repairable, steps: [{ when: 'failed', control: 'retry' }] },
  // Since runs start with all of their search attributes.
  { name: 'shown-at-start', graph: repairable, steps: [{ when: 'failed', control: 'retry' }] },
  { name: 'forked', graph: repairable, steps: [{ when: 'failed', control: 'retry' }], forkAt: 1 },
  { name: 'canceled-by-signal', graph: cancelable, steps: [{ when: 'call:slow', signal: 'cancel', payload: {} }] },
  { name: 'canceled-by-server', graph: cancelable, steps: [{ when: 'call:slow', isCancelRequested: true }] },
  { name: 'not-undone', graph: unpaid },
  { name: 'undo-unknown', graph: unknownUndo, steps: [{ when: 'waiting:paid', control: 'retry' }] },
  {
    name: 'given-up-one-by-one',
    graph: twice,
    steps: [
      { when: 'waiting:one', control: 'fail', body: { node: 'one' } },
      { when: 'waiting:two', control: 'skip', body: { node: 'two', output: { job: 'by hand' } } },
    ],
  },
  { name: 'late', graph: late },
  { name: 'local-calls', graph: local },
  { name: 'readings', graph: readings, steps: [approve] },
  { name: 'large-values', graph: large, steps: [approve] },
  { name: 'thread', graph: repairable, threadId: 'thread', steps: [{ when: 'failed', control: 'retry' }] },
  { name: 'times', graph: times },
  { name: 'commands', graph: commands, steps: [{ when: 'paused', control: 'resume' }] },
  {
    name: 'steered',
    graph: waits,
    steps: [
      { when: 'waiting', signal: 'nonsense', payload: 7 },
      { when: 'waiting', signal: 'event', payload: { event: 'early' } },
      { when: 'waiting', signal: 'pause', payload: { reason: 'a look' } },
      { when: 'paused', signal: 'edit', payload: { values: { log: ['edited'] } } },
      { when: 'state.updated', signal: 'replan', payload: { node: 'event' } },
      { when: 'waiting', signal: 'event', payload: { event: 'go', payload: 1 } },
      { when: 'paused', signal: 'resume', payload: {} },
    ],
  },
  {
    name: 'summarized',
    graph: aDefinition({
      channels: conversation,
      nodes: {
        think: {
          type: 'llm',
          messages: 'messages',
          context: { maxTokens: 400, strategy: 'summarize' },
          write: { log: '{{ result.text }}' },
        },
        end: job('end'),
      },
    }),
    input: longTalk,
  },
  { name: 'waits-for-room', graph: crowded, input: longTalk },
  { name: 'straggling', graph: straggling },
  { name: 'canceled-between-attempts', graph: unlucky, steps: [{ when: 'node.completed', control: 'cancel' }] },
  { name: 'overdue', graph: overdue, steps: [{ when: 'waiting', approve: 2 }] },
  { name: 'overdue-retried', graph: nestedOverdue, steps: [{ when: 'failed', control: 'retry' }] },
  {
    name: 'upgraded',
    graph: waits,
    steps: [
      { when: 'waiting', signal: 'upgrade' },
      { when: 'waiting', signal: 'event', payload: { event: 'go' } },
      { when: 'paused', control: 'resume' },
    ],
  },
  {
    name: 'upgraded-again',
    graph: waits,
    steps: [
      { when: 'waiting', signal: 'upgrade' },
      { when: 'execution:2', signal: 'upgrade' },
      { when: 'execution:3', signal: 'event', payload: { event: 'go' } },
      { when: 'paused', control: 'resume' },
    ],
  },
];

/** These are played once more so that they go on in a new execution at every chance. */
export const CONTINUED_RUNS: readonly RecordedRun[] = RECORDED_RUNS.filter(({ name }) =>
  [
    'subgraph',
    'agent',
    'graph-tools',
    'asked-calls',
    'summarized',
    'waits-for-room',
    'overdue',
    'overdue-retried',
    'approvals',
    'interventions',
    'steered',
    'readings',
  ].includes(name),
);

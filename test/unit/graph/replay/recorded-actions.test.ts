import { describe, expect, test } from 'vitest';
import { advance, signalEndedRun } from '../../../../src/graph/advance/advance.ts';
import type { AdvanceResult } from '../../../../src/graph/advance/advance.ts';
import { startRun } from '../../../../src/graph/advance/begin-run.ts';
import type { RunIdentity } from '../../../../src/graph/advance/begin-run.ts';
import { compileShared } from '../../../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { replayRecordedRun } from '../../../../src/graph/replay/replay.ts';
import type { ReplayedRun } from '../../../../src/graph/replay/replay.ts';
import type { RecordedAnswer, ReplayLog } from '../../../../src/graph/replay/replay-log.ts';
import { limitsOfGraph } from '../../../../src/graph/run/limits.ts';
import type { OccurrenceBody } from '../../../../src/graph/run/occurrence.ts';
import { hasEnded } from '../../../../src/graph/run/status.ts';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aCatalog, aDefinition, chainOf } from '../../../support/builders/builders.ts';
import { shown } from '../../../support/readers/shown-run.ts';

/* A recorded run is played against a changed graph: what people did is played by node and in its order. */

const catalog = aCatalog();
const STARTED_AT = Date.parse('2026-01-02T03:04:05.000Z');

const ask = {
  type: 'approval',
  title: 'Pay?',
  policy: { roles: ['approver'] },
  timeout: '4h',
  onTimeout: 'reject',
} as const;
const two = { ...ask, policy: { roles: ['approver'], quorum: 2 } } as const;
const nap = { type: 'wait', for: '5s' } as const;
const waits = { type: 'wait', event: 'paid', write: { log: '{{ result }}' } } as const;
const charges = { type: 'tool', tool: 'charge', args: { key: 'x' }, write: { log: '{{ result }}' } } as const;
const pays = { ...charges, onError: 'intervene' } as const;
const bad = { type: 'set', write: { log: '{{ state.none.at }}' } } as const;
const adds = { type: 'set', write: { log: 'more' } } as const;

const by = (sub: string, ...roles: string[]): JsonObject => ({ by: { sub, roles: ['approver', ...roles] } });
const signal = (name: string, payload: JsonObject): OccurrenceBody => ({ kind: 'signal', name, payload });
const approves = (sub: string, more: JsonObject = {}) => signal('approve', { ...by(sub), ...more });
const paid = (key: string, value: Json): OccurrenceBody & { readonly kind: 'call.completed' } => ({
  kind: 'call.completed',
  key,
  reply: { kind: 'value', value },
  attempts: 1,
  durationMs: 0,
});
const refused = (key: string): OccurrenceBody => ({
  kind: 'call.failed',
  key,
  failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } },
});
const timer = (id: string): OccurrenceBody => ({ kind: 'timer', id });
const event = (payload: Json): OccurrenceBody => signal('event', { event: 'paid', payload, ...by('hook') });

const graphOf = (nodes: GraphDefinition['nodes']): GraphDefinition => aDefinition({ nodes });

interface Recorded {
  readonly identity: RunIdentity;
  readonly log: ReplayLog;
}

/** Runs a graph with these occurrences, one each second. */
function record(definition: GraphDefinition, occurrences: readonly OccurrenceBody[]): Recorded {
  const graph = compileShared(definition, catalog);
  const identity: RunIdentity = {
    id: 'run-1',
    tenantId: 'acme',
    threadId: null,
    graph: { name: definition.name, version: null, hash: 'recorded' },
    createdBy: { sub: 'uma', roles: ['user'] },
    limits: limitsOfGraph(definition.limits, catalog.defaults),
  };
  const steps: AdvanceResult[] = [startRun(graph, identity, { input: {}, startedAt: STARTED_AT })];
  const answers = new Map<string, RecordedAnswer>();
  for (const [at, body] of occurrences.entries()) {
    const now = STARTED_AT + 1000 * (at + 1);
    const run = steps.at(-1)?.run;
    if (!run) throw new Error('The run has not begun');
    const reopens = hasEnded(run) && body.kind === 'signal' && isJsonObject(body.payload);
    steps.push(
      reopens && isJsonObject(body.payload)
        ? signalEndedRun(graph, run, { name: body.name, payload: body.payload, now })
        : advance(graph, run, { ...body, at: now }),
    );
    if (body.kind === 'call.completed')
      answers.set(body.key, { result: toJson(body.reply), failure: null, failures: 0 });
  }
  const events = steps.flatMap((step) => step.events);
  return { identity, log: { events, occurrences: steps.flatMap((step) => step.occurrences), answers } };
}

function playAgainst(changed: GraphDefinition, { identity, log }: Recorded, isWithActions = true): ReplayedRun {
  return replayRecordedRun({
    graph: compileShared(changed, catalog),
    identity,
    begin: { kind: 'input', input: {} },
    log,
    ...(isWithActions && { afterDivergence: 'actions' }),
  });
}

interface Case {
  readonly what: string;
  readonly recorded: readonly [nodes: GraphDefinition['nodes'], ...occurrences: readonly OccurrenceBody[]];
  readonly changed: GraphDefinition['nodes'];
  readonly ends: { readonly status: string; readonly log: Json };
  readonly unplayed?: readonly object[];
}

const CALL = 'run-1:pay:1:0:0';
const completed = (...log: readonly Json[]) => ({ status: 'completed', log: [...log] });

const CASES: readonly Case[] = [
  {
    what: 'decisions of a quorum at an approval with another timeout',
    recorded: [{ ask: two, pay: pays }, approves('ada'), approves('bob'), paid(CALL, 'x')],
    changed: { ask: { ...two, timeout: '5h' }, pay: pays },
    ends: completed('x'),
  },
  {
    what: 'only the decisions that a smaller quorum waits for',
    recorded: [{ ask: two, pay: pays }, approves('ada'), approves('bob'), paid(CALL, 'x')],
    changed: { ask, pay: pays },
    ends: completed('x'),
    unplayed: [{ action: 'approve', by: 'bob', node: 'ask', why: 'no approval waits there' }],
  },
  {
    what: 'a decision whose sender had read another content',
    recorded: [{ ask, pay: pays }, approves('ada', { approvalId: 'run-1.a1' }), paid(CALL, 'x')],
    changed: { ask: { ...ask, title: 'Pay now?' }, pay: pays },
    ends: completed('x'),
  },
  {
    what: 'decisions by node although another approval is asked first',
    recorded: [{ ask }, approves('ada', { approvalId: 'run-1.a1' })],
    changed: { first: ask, ask },
    ends: { status: 'waiting', log: [] },
    unplayed: [{ action: 'approve', by: 'ada', node: 'ask', why: 'no approval waits there' }],
  },
  {
    what: 'decisions of two nodes that are asked in the other order',
    recorded: [{ one: ask, two: ask, more: adds }, approves('ada'), approves('bob', { approvalId: 'run-1.a2' })],
    changed: { two: ask, one: ask, more: adds },
    ends: completed('more'),
  },
  {
    what: 'no decision of a node that is gone',
    recorded: [{ ask, more: adds }, approves('ada')],
    changed: { more: adds },
    ends: completed('more'),
    unplayed: [{ action: 'approve', by: 'ada', node: 'ask', why: 'no approval waits there' }],
  },
  {
    what: 'no decision that the changed policy refuses',
    recorded: [{ ask }, approves('ada')],
    changed: { ask: { ...ask, policy: { roles: ['board'] } } },
    ends: { status: 'waiting', log: [] },
    unplayed: [{ action: 'approve', by: 'ada', node: 'ask', why: expect.stringContaining('board') }],
  },
  {
    what: 'the timeout of an approval, whatever its number',
    recorded: [{ ask, more: adds }, timer('run-1.a1.timeout')],
    changed: { ask: { ...ask, title: 'Now?', onTimeout: 'approve' }, more: adds },
    ends: completed('more'),
  },
  {
    what: 'the retry of a failed call',
    recorded: [
      { nap, pay: pays },
      timer('nap.1.0.timer'),
      refused(CALL),
      signal('retry', by('ada')),
      paid('run-1:pay:1:0:1', 'y'),
    ],
    changed: { more: adds, nap, pay: pays },
    ends: completed('more', 'y'),
  },
  {
    what: 'the output of a skipped node',
    recorded: [{ pay: pays }, refused(CALL), signal('skip', { node: 'pay', output: 'z', ...by('ada') })],
    changed: { more: adds, pay: pays },
    ends: completed('more', 'z'),
  },
  {
    what: 'no intervention where nothing fails any more',
    recorded: [{ pay: pays }, refused(CALL), signal('skip', { output: 'z', ...by('ada') })],
    changed: { more: adds },
    ends: completed('more'),
    unplayed: [{ action: 'skip', by: 'ada', node: 'pay', why: 'no failure waits there for a person' }],
  },
  {
    what: 'the reopening of a failed run',
    recorded: [{ pay: charges }, refused(CALL), signal('skip', { node: 'pay', output: 'z', ...by('ada') })],
    changed: { more: adds, pay: charges },
    ends: completed('more', 'z'),
  },
  {
    what: 'an event for a wait',
    recorded: [{ waits }, event('cash')],
    changed: { more: adds, waits },
    ends: completed('more', 'cash'),
  },
  {
    what: 'an event after which a node fails',
    recorded: [{ waits, bad }, event('cash')],
    changed: { more: adds, waits, bad },
    ends: { status: 'failed', log: ['more', 'cash'] },
  },
  {
    what: 'a pause and the resume that ends it',
    recorded: [{ pay: pays, more: adds }, signal('pause', by('ada')), paid(CALL, 'x'), signal('resume', by('ada'))],
    changed: { first: adds, pay: pays, more: adds },
    ends: completed('more', 'x', 'more'),
  },
  {
    what: 'no signal after the end of the run',
    recorded: [{ ask, waits }, approves('ada'), signal('cancel', { reason: 'late', ...by('bob') })],
    changed: { more: adds },
    ends: completed('more'),
    unplayed: [
      { action: 'approve', by: 'ada', node: 'ask', why: 'no approval waits there' },
      { action: 'cancel', by: 'bob', node: null, why: 'the run had ended' },
    ],
  },
  {
    what: 'no signal that the recorded run ignored',
    recorded: [{ ask, more: adds }, signal('approve', { by: { sub: 'eve', roles: ['user'] } }), approves('ada')],
    changed: { ask: { ...ask, title: 'Now?' }, more: adds },
    ends: completed('more'),
  },
];

describe('the recorded actions of people', () => {
  test.each(CASES)(
    'a replay of another graph plays $what',
    ({ recorded: [nodes, ...occurrences], changed, ends, unplayed = [] }) => {
      const { run, unplayed: left, divergence } = playAgainst(graphOf(changed), record(graphOf(nodes), occurrences));
      const { status, root } = shown(run);
      expect(divergence).not.toBeNull();
      expect({ status, log: root.channels['log'] }).toEqual(ends);
      expect(left).toEqual(unplayed);
    },
  );

  test('a replay of another graph gives each element of a list the decision about its arguments', () => {
    const each = (title: string): GraphDefinition =>
      aDefinition({
        channels: { log: { reducer: 'append' }, items: { default: ['a', 'b'] } },
        nodes: {
          ask: { ...ask, title, args: '{{ item }}', write: { log: '{{ result.args + ":" + result.decision }}' } },
        },
        edges: [{ from: '__start__', forEach: 'state.items', to: 'ask' }],
      });
    const recorded = record(each('Pay?'), [
      approves('ada', { approvalId: 'run-1.a2' }),
      signal('reject', { approvalId: 'run-1.a1', ...by('bob') }),
    ]);
    const changed = {
      ...each('Pay?'),
      nodes: { ...each('Pay?').nodes, first: adds },
      edges: [...chainOf(['first']), { from: 'first', forEach: 'state.items', to: 'ask' }],
    };
    const { run, unplayed } = playAgainst(changed, recorded);
    expect({ unplayed, log: shown(run).root.channels['log'] }).toEqual({
      unplayed: [],
      log: ['more', 'a:rejected', 'b:approved'],
    });
  });

  test('a replay of another graph gives no answer of a model to a tool', () => {
    const says = { type: 'llm', prompt: 'Say', write: { log: '{{ result.text }}' } } as const;
    const usage = { inputTokens: 1, outputTokens: 1 };
    const reply = { kind: 'model', text: 'hi', toolCalls: [], finishReason: 'stop', usage } as const;
    const recorded = record(graphOf({ pay: says }), [{ ...paid(CALL, null), reply }]);
    const { run, divergence } = playAgainst(graphOf({ pay: pays }), recorded);
    expect(shown(run)).toMatchObject({ status: 'running', calls: { [CALL]: { called: { kind: 'tool' } } } });
    expect(divergence).not.toBeNull();
  });

  test('a replay of another graph plays no signals by default', () => {
    const recorded = record(graphOf({ ask }), [approves('ada')]);
    const { run, unplayed } = playAgainst(graphOf({ ask: { ...ask, timeout: '5h' } }), recorded, false);
    expect({ status: shown(run).status, unplayed }).toEqual({ status: 'waiting', unplayed: [] });
  });
});

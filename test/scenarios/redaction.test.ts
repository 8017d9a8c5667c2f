import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { foldCheckpoints } from '../../src/graph/journal/resume-point.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { findRedaction } from '../../src/graph/redaction/find-redaction.ts';
import {
  hideApproval,
  hideChannels,
  hideOutput,
  hideRunError,
  hideEvent,
  hideWaiting,
} from '../../src/graph/redaction/hide.ts';
import { NOTHING_REDACTED } from '../../src/graph/redaction/redaction.ts';
import type { Redaction } from '../../src/graph/redaction/redaction.ts';
import { asks, says } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

const SECRET = 'canary-4711';

const CHANNELS = { secret: { redact: true }, copy: {}, talk: { reducer: 'messages' }, kept: { redact: true } } as const;

/** Every call repeats its input. A tool that is told to `break` fails with its input in the message. */
const ECHO: Outside = {
  tool({ args }) {
    const told = JSON.stringify(args);
    if (told.includes('break')) throw new CallFailure('TOOL_FAILED', `No ${told}`);
    return { told };
  },
  function: ({ args }) => ({ told: JSON.stringify(args) }),
  model: ({ messages, tools }) => {
    const told = JSON.stringify(messages);
    return tools.length > 0 && messages.length < 2 ? asks(['lookup', { key: told }]) : says(told);
  },
};

interface Played {
  readonly run: MemoryRun;
  readonly redaction: Redaction;
}

function play(nodes: Record<string, NodeDefinition>, over: Partial<GraphDefinition> = {}, outside = ECHO): Played {
  const definition = aDefinition({ channels: CHANNELS, nodes, ...over });
  const catalog = aCatalog();
  const input = { secret: SECRET };
  return {
    run: runInMemory({ definition, catalog, input }, outside),
    redaction: findRedaction({ definition, catalog }),
  };
}

/** Returns everything of a run that is visible under a redaction, as one text. */
function visibleTextOf({ run: { run, events, checkpoints } }: Played, redaction: Redaction): string {
  const { waitingFor, error, output, pending } = toRunView(run);
  return JSON.stringify([
    events.map((event) => hideEvent(event, redaction)),
    Object.values(run.approvals).map((approval) => hideApproval(approval, redaction)),
    waitingFor.map((waiting) => hideWaiting(waiting, redaction)),
    error && hideRunError(error, redaction),
    hideOutput(output, redaction),
    pending.map(({ update }) => hideChannels(update ?? {}, redaction)),
    hideChannels(foldCheckpoints(checkpoints), redaction),
  ]);
}

const telling = { key: 'k', value: '{{ state.secret }}' };
const inner = (nodes: Record<string, NodeDefinition>): GraphDefinition =>
  aDefinition({ name: 'inner', channels: { given: {}, made: {} }, nodes });

type Nodes = Record<string, NodeDefinition>;

type Course = readonly [name: string, nodes: Nodes, graph: Partial<GraphDefinition>];

const COURSES: readonly (readonly [string, Nodes, Partial<GraphDefinition>?])[] = [
  ['a tool', { a: { type: 'tool', tool: 'lookup', args: telling, write: 'copy' } }],
  ['a tool that fails', { a: { type: 'tool', tool: 'lookup', args: { ...telling, key: 'break' } } }],
  [
    'a failure that is written to a channel',
    {
      a: {
        type: 'tool',
        tool: 'lookup',
        args: { ...telling, key: 'break' },
        onError: { to: 'b', write: { copy: '{{ error.message }}' } },
      },
      b: { type: 'set' },
    },
  ],
  [
    'a call that waits for a person',
    { a: { type: 'tool', tool: 'lookup', args: { ...telling, key: 'break' }, onError: 'intervene' } },
  ],
  ['a function', { a: { type: 'function', function: 'double', args: telling, write: 'copy' } }],
  ['a model', { a: { type: 'llm', prompt: '{{ state.secret }}', write: { copy: '{{ result.text }}' } } }],
  ['an agent', { a: { type: 'agent', prompt: '{{ state.secret }}', tools: ['lookup'], write: 'copy' } }],
  [
    'an agent that requests unsafe calls',
    {
      a: {
        type: 'agent',
        prompt: '{{ state.secret }}',
        tools: ['lookup'],
        approve: { lookup: 'always' },
        write: 'copy',
      },
    },
  ],
  [
    'calls of a conversation',
    {
      a: { type: 'llm', messages: 'talk', system: '{{ state.secret }}', tools: ['lookup'] },
      b: { type: 'tool', calls: 'talk' },
      c: { type: 'set', write: { copy: '{{ state.talk }}' } },
    },
  ],
  ['an approval', { a: { type: 'approval', title: 'Is it {{ state.secret }}?', details: [telling], args: telling } }],
  ['an approval that is rejected', { a: { type: 'approval', title: '{{ state.secret }}', onReject: 'fail' } }],
  ['a wait for an event', { a: { type: 'wait', event: 'paid-{{ state.secret }}' } }],
  ['an expression that fails', { a: { type: 'set', write: { copy: '{{ {"a": 1}[state.secret] }}' } } }],
  [
    'an edge that fails',
    { a: { type: 'set' } },
    {
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', route: 'state.secret', paths: {} },
      ],
    },
  ],
  [
    'a first edge that fails',
    { a: { type: 'set' } },
    { edges: [{ from: '__start__', route: 'state.secret', paths: { x: 'a' } }] },
  ],
  [
    'a reducer that fails',
    { a: { type: 'set', write: { copy: '{{ state.secret }}' } } },
    { channels: { secret: { redact: true }, copy: { reducer: { expr: '{"a": 1}[update]' } } } },
  ],
  [
    'a subgraph',
    {
      a: {
        type: 'subgraph',
        graph: inner({ b: { type: 'tool', tool: 'lookup', args: { key: '{{ state.given }}' }, write: 'made' } }),
        input: { given: '{{ state.secret }}' },
        write: { copy: '{{ result.made }}' },
      },
    },
  ],
  [
    'a subgraph that fails',
    {
      a: {
        type: 'subgraph',
        graph: inner({ b: { type: 'tool', tool: 'lookup', args: { key: 'break {{ state.given }}' } } }),
        input: { given: '{{ state.secret }}' },
      },
    },
  ],
  [
    'a subgraph that requests an approval',
    {
      a: {
        type: 'subgraph',
        graph: inner({ b: { type: 'approval', title: '{{ state.given }}?', args: ['{{ state.given }}'] } }),
        input: { given: '{{ state.secret }}' },
      },
    },
  ],
  [
    'a compensation',
    {
      a: {
        type: 'tool',
        tool: 'charge',
        args: { key: 'k' },
        compensate: { tool: 'lookup', args: { key: 'break', value: '{{ state.secret }}' } },
      },
      b: { type: 'tool', tool: 'lookup', args: { key: 'break' } },
    },
  ],
];

describe('no redacted value is visible that passed through', () => {
  test.each<Course>(COURSES.map(([name, nodes, graph = {}]) => [name, nodes, graph]))(
    'no redacted value is visible that passed through %s',
    (_name, nodes, over) => {
      const played = play(nodes, over);
      expect(visibleTextOf(played, played.redaction)).not.toContain(SECRET);
      expect(visibleTextOf(played, NOTHING_REDACTED)).toContain(SECRET);
    },
  );

  test('no redacted value is visible that passed through a decision with edited arguments', () => {
    const nodes: Record<string, NodeDefinition> = {
      a: {
        type: 'approval',
        title: 'Pay?',
        args: telling,
        write: { copy: '{{ result.args }}', kept: '{{ result.values }}' },
      },
    };
    const answer = {
      decision: 'approve',
      args: { value: `${SECRET}!`, key: 'k' },
      values: { pin: `${SECRET}?` },
    } as const;
    const played = play(nodes, {}, { ...ECHO, approval: () => answer });
    expect(played.run.run.status).toBe('completed');
    expect(visibleTextOf(played, played.redaction)).not.toContain(SECRET);
    expect(visibleTextOf(played, NOTHING_REDACTED)).toContain(`${SECRET}?`);
  });

  test('no redacted value is visible that passed through an answer which fills a redacted channel', () => {
    const fill = (kept: string): Record<string, NodeDefinition> => ({
      a: { type: 'tool', tool: 'lookup', args: { key: 'k' }, write: { kept, copy: '{{ result.name }}' } },
    });
    const outside = { ...ECHO, tool: () => ({ card: SECRET, name: 'Ada' }) };
    const played = play(fill('{{ result.card }}'), {}, outside);
    expect(JSON.stringify(foldCheckpoints(played.run.checkpoints))).toContain(SECRET);
    const shown = visibleTextOf(played, played.redaction).replaceAll(`"secret":"${SECRET}"`, '');
    expect(shown).not.toContain(SECRET);
    expect(shown).toContain('"copy":"Ada"');
  });

  test('no redacted value is visible that passed through a function which pauses the run with a reason', () => {
    const reason = `I know ${SECRET}`;
    const nodes: Record<string, NodeDefinition> = {
      a: { type: 'function', function: 'double', args: telling },
      b: { type: 'set' },
    };
    const played = play(nodes, {}, { ...ECHO, function: () => ({ control: 'pause', reason }) });
    expect(played.run.run.status).toBe('paused');
    expect(visibleTextOf(played, played.redaction)).not.toContain(SECRET);
  });
});

describe('parts that redaction leaves unchanged', () => {
  test('redaction keeps the codes and locations of errors, the fixed text of a title, and other arguments', () => {
    const failed = play({ a: { type: 'set', write: { copy: '{{ {"a": 1}[state.secret] }}' } } });
    expect(hideRunError(failed.run.run.error ?? { code: 'INTERNAL', message: '' }, failed.redaction)).toEqual({
      code: 'EXPRESSION_FAILED',
      message: '[redacted]',
      node: 'a',
      step: 0,
      attempts: 1,
    });
    const asked = play({ a: { type: 'approval', title: 'Is it {{ state.secret }}?', args: telling } });
    const [approval] = Object.values(asked.run.run.approvals);
    expect(approval && hideApproval(approval, asked.redaction)).toMatchObject({
      title: 'Is it [redacted]?',
      args: { key: 'k', value: '[redacted]' },
      digest: '[redacted]',
    });
  });

  test('redaction keeps error messages about limits readable', () => {
    const edges = [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'a' },
    ];
    const { run, redaction } = play({ a: { type: 'set', write: { copy: '{{ state.secret }}' } } }, { edges });
    const error = run.run.error ?? { code: 'INTERNAL', message: '' };
    expect(error.code).toBe('GRAPH_RECURSION_LIMIT');
    expect(hideRunError(error, redaction)).toEqual(error);
  });

  test('a run that redacts nothing keeps its events, approvals and errors unchanged', () => {
    const { run } = play({ a: { type: 'approval', title: 'Pay?', args: telling } });
    const [event] = run.events;
    const [approval] = Object.values(run.run.approvals);
    expect(event && hideEvent(event, NOTHING_REDACTED)).toBe(event);
    expect(approval && hideApproval(approval, NOTHING_REDACTED)).toMatchObject({ digest: approval?.digest });
  });
});

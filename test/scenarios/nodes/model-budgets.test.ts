import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, modelDown, play, says } from '../../support/builders/agents.ts';
import type { Played, Said, Stage } from '../../support/builders/agents.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { adds, logOf, typesOf } from '../../support/builders/runs.ts';

/*
 * Two nodes begin together: `a`, whose first call returns first, and `b`, whose reservation holds what `a` needs for
 * its next call. Each text of the model counts 10 tokens read and 5 written; the prompt of `b` is estimated at 6.
 */

const together = (...ids: readonly string[]): GraphDefinition['edges'] => [{ from: '__start__', to: ids }];
const price = { input: 1, output: 1 };
const llm = { type: 'llm', prompt: 'Hello' } as const;
const b: NodeDefinition = { ...llm, maxOutputTokens: 500 };

/** Calls of `a` return first. */
const aFirst = (out: readonly CallEffect[]): number =>
  Math.max(
    0,
    out.findIndex(({ node }) => node === 'a'),
  );

interface Case {
  readonly a: NodeDefinition & { readonly type: 'llm' | 'agent' };
  /** The first answer to `a`. Later calls get a text that fits all of them. */
  readonly first: Said;
  readonly limits: Stage['limits'];
  readonly catalog?: Stage['catalog'];
}

/** The next step of `a` after it was answered once and has waited for `b`. */
const CASES = {
  'a fallback that costs more': {
    a: { ...llm, model: ['cheap', 'dear'], maxOutputTokens: 20 },
    first: modelDown,
    limits: { maxCostUsd: 0.000_56 },
    catalog: { models: { default: { price }, cheap: { price }, dear: { price: { input: 10, output: 10 } } } },
  },
  'a fallback that takes more': {
    a: { ...llm, prompt: 'x'.repeat(400), model: ['small', 'large'], maxOutputTokens: 20 },
    first: modelDown,
    limits: { maxTokens: 600 },
    catalog: { models: { default: {}, small: { contextWindow: 50 }, large: {} } },
  },
  'a correction': {
    a: { ...llm, output: { type: 'object' }, maxOutputTokens: 20 },
    first: 'x'.repeat(200),
    limits: { maxTokens: 550 },
  },
  'a summary': {
    a: { ...llm, prompt: 'x'.repeat(800), context: { maxTokens: 60, strategy: 'summarize' }, maxOutputTokens: 20 },
    first: { kind: 'overflow', messages: 1 },
    limits: { maxTokens: 650 },
  },
} satisfies Readonly<Record<string, Case>>;

function playCase({ a, first, limits = {}, catalog = {} }: Case, over: Partial<Stage> = {}): Played {
  const graph = { nodes: { a, b }, edges: together('a', 'b') };
  const outside = { next: aFirst };
  return play({ replies: [first, '{}', '{}', '{}'], graph, limits, catalog, outside, ...over });
}

/** Plays a run until only the call of `b` is open. Then a signal is sent, and `b` is answered. */
function held(one: Case, over: Partial<Stage> = {}): { played: Played; goOn: (name: string, payload: Json) => void } {
  let isHeld = true;
  const next = (out: readonly CallEffect[]): number | null =>
    isHeld && out.every(({ node }) => node === 'b') ? null : aFirst(out);
  const played = playCase(one, { ...over, outside: { ...over.outside, next } });
  const goOn = (name: string, payload: Json): void => {
    isHeld = false;
    played.run.signal(name, payload);
  };
  return { played, goOn };
}

const asAgent = (one: Case): Case => ({ ...one, a: { ...one.a, type: 'agent' } });

/** Returns the nodes whose calls were made, in order. */
const nodesOf = ({ keys }: Played): readonly (string | undefined)[] => keys.map((key) => key.split(':')[1]);

const errorsOf = ({ run }: Played): readonly unknown[] =>
  run.events.flatMap((event) => (event.type === 'node.failed' ? [event.error.code] : []));

describe.each(
  Object.entries(CASES).flatMap(
    ([name, one]) =>
      [
        [name, one],
        [`${name}, of an agent`, asAgent(one)],
      ] as const,
  ),
)('%s', (_name, one) => {
  test('a model call waits for reserved budget', () => {
    const played = playCase(one);
    expect([played.run.run.status, errorsOf(played)]).toEqual(['completed', []]);
    expect(nodesOf(played).slice(0, 3)).toEqual(['a', 'b', 'a']);
  });

  test('a model call continues when the call whose reservation it waits for has failed', () => {
    const played = playCase(one, {
      replies: [one.first, modelDown, '{}', '{}'],
      graph: { nodes: { a: one.a, b: { ...b, onError: { to: 'c' } }, c: { type: 'set' } }, edges: together('a', 'b') },
    });
    expect([played.run.run.status, errorsOf(played)]).toEqual(['completed', ['MODEL_FAILED']]);
  });

  test('a model call is refused if the budget that it waited for has been used', () => {
    const usage = { inputTokens: 6, outputTokens: 500 };
    const played = playCase(one, { replies: [one.first, says('{}', { usage })] });
    expect([played.run.run.status, errorsOf(played)]).toEqual(['failed', ['BUDGET_EXCEEDED']]);
    expect(played.run.run.error?.message).toContain('is used up');
    expect(nodesOf(played)).toEqual(['a', 'b']);
  });

  test('a waiting model call is never made when its run is canceled', () => {
    const { played, goOn } = held(one);
    expect([played.run.run.status, played.run.out.map(({ node }) => node)]).toEqual(['running', ['b']]);
    goOn('cancel', {});
    expect([played.run.run.status, nodesOf(played)]).toEqual(['canceled', ['a', 'b']]);
  });
});

describe('a call that waits for budget', () => {
  const correction: Case = CASES['a correction'];

  test('a model call that waits for budget is made once its run has a higher budget, without repeating answered calls', () => {
    const usage = { inputTokens: 6, outputTokens: 500 };
    const limits = { maxTokens: 5_000 };
    const graph = { nodes: { a: asAgent(correction).a, b }, edges: together('a', 'b'), limits };
    const replies = [correction.first, says('{}', { usage }), '{}'];
    const played = playCase(correction, { graph, replies });
    expect([played.run.run.status, played.keys.length]).toEqual(['failed', 2]);
    played.run.reopen('retry', { limits });
    expect([played.run.run.status, nodesOf(played), new Set(played.keys).size]).toEqual([
      'completed',
      ['a', 'b', 'a'],
      3,
    ]);
    expect(played.requests[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(played.run.run.spent).toMatchObject({ modelCalls: 3, outputTokens: 510 });
  });

  test.each([
    ['a node', correction, ['a', 'b', 'a', 'b', 'a']],
    ['an agent', asAgent(correction), ['a', 'b', 'a', 'b']],
  ])('a model call of %s that waits for budget is made when its ended run is retried', (_name, one, asked) => {
    const graph = { nodes: { a: one.a, b }, edges: together('a', 'b'), limits: { deadline: '1m' } };
    const keys: string[] = [];
    const model = (_request: unknown, key: string): Exclude<Said, Error> => {
      keys.push(key);
      return key === 'run-1:a:1:0:0' && !(one.first instanceof Error) ? one.first : '{}';
    };
    const { played, goOn } = held(one, { graph, outside: { model } });
    const { run } = played;
    run.passTime(61_000);
    goOn('event', { event: 'late' });
    expect([run.run.status, run.run.error?.code, keys.length]).toEqual(['failed', 'DEADLINE_EXCEEDED', 2]);
    run.reopen('retry');
    expect([run.run.status, run.run.spent.modelCalls]).toEqual(['completed', 3]);
    expect(keys.map((key) => key.split(':')[1])).toEqual(asked);
    expect(new Set(keys).size).toBe(3);
  });

  test('the time in which an agent waits for budget counts for its deadline, because it is no wait for people', () => {
    const a = { ...llm, type: 'agent', output: { type: 'object' }, maxOutputTokens: 20, deadline: '1m' } as const;
    const { played, goOn } = held({ ...correction, a });
    played.run.passTime(120_000);
    goOn('event', { event: 'late' });
    expect(played.run.run.error).toMatchObject({ code: 'TIMEOUT', node: 'a' });
  });

  test('a model call that waits for budget does not prevent a pause after its superstep', () => {
    const graph = { nodes: { a: correction.a, b, c: b }, edges: [...together('a', 'b'), { from: 'a', to: 'c' }] };
    const { played, goOn } = held(correction, { graph });
    goOn('pause', {});
    expect([played.run.run.status, nodesOf(played)]).toEqual(['paused', ['a', 'b', 'a']]);
    played.run.signal('resume', {});
    expect(played.run.run.status).toBe('completed');
  });

  test('several model calls can wait for budget at once, also in subgraphs', () => {
    const child = aDefinition({ name: 'child', channels: CHANNELS, nodes: { a: correction.a } });
    const { run } = play({
      replies: [],
      graph: {
        channels: { ...CHANNELS, n: { default: [1, 2, 3, 4] } },
        nodes: { each: { type: 'subgraph', graph: child }, b },
        edges: [{ from: '__start__', forEach: 'state.n', to: 'each' }, ...together('b')],
      },
      limits: { maxTokens: 700 },
      outside: {
        model: ({ messages }) => (messages.length > 1 ? '{}' : 'x'.repeat(200)),
        next: (out) => out.length - 1,
      },
    });
    expect([run.run.status, run.run.spent.modelCalls]).toEqual(['completed', 9]);
    expect(typesOf(run)).not.toContain('node.failed');
  });
});

describe('model calls that need not wait for budget', () => {
  test('no model call waits if the budget allows its whole output', () => {
    const a: NodeDefinition = { ...llm, output: { type: 'object' }, maxOutputTokens: 20 };
    const { played } = held({ a, first: 'nothing', limits: { maxTokens: 650 } });
    expect(nodesOf(played)).toEqual(['a', 'a']);
  });

  test('no model call waits if its input exceeds the whole budget', () => {
    const a: NodeDefinition = { ...llm, output: { type: 'object' }, maxOutputTokens: 20 };
    const { played } = held({ a, first: 'x'.repeat(4_000), limits: { maxTokens: 600 } });
    expect([played.run.out.map(({ node }) => node), errorsOf(played)]).toEqual([['b'], ['BUDGET_EXCEEDED']]);
  });
});

test('a first model call whose input exceeds the unreserved budget waits until other calls have released their reservations', () => {
  const reads: NodeDefinition = { ...llm, prompt: 'x'.repeat(400), maxOutputTokens: 20 };
  const graph = { nodes: { a: { ...b, maxOutputTokens: 20 }, b: reads }, edges: together('a', 'b') };
  expect(play({ replies: ['x', 'y'], graph, limits: { maxTokens: 127 } }).run.run.status).toBe('completed');
});

test('the call of a fallback model is not shortened because of reservations of other calls', () => {
  const one: Case = {
    ...CASES['a fallback that costs more'],
    limits: { maxCostUsd: 0.000_65 },
  };
  expect(playCase(one).requests.find(({ model }) => model === 'dear')?.maxOutputTokens).toBe(20);
});

describe('models without a price under a cost limit', () => {
  const askOf = (...model: readonly string[]): NodeDefinition => ({
    ...llm,
    model,
    onError: { to: 'z' },
    write: { log: '{{ result.model }}' },
  });
  const models = { default: { price }, dear: { price }, free: {}, gone: {} };
  const played = (node: NodeDefinition, replies: readonly Said[], over: Partial<Stage> = {}): Played =>
    play({
      replies,
      graph: { nodes: { a: node, z: adds('z') }, edges: together('a') },
      limits: { maxCostUsd: 1 },
      catalog: { models },
      ...over,
    });

  test.each([
    ['is skipped', ['free', 'default'], ['x'], ['default']],
    [
      'is skipped also as a fallback after another model has failed',
      ['default', 'free', 'gone', 'dear'],
      [modelDown, 'x'],
      ['dear'],
    ],
    ['keeps the failure of the previous model', ['default', 'free'], [modelDown], ['z']],
  ])('with a cost limit, a model without a price %s: %j', (...[, model, replies, log]) => {
    const { run } = played(askOf(...model), replies);
    expect([run.run.status, logOf(run)]).toEqual(['completed', log]);
  });

  test('with a cost limit, a model without a price is refused if no other model may be called', () => {
    const { run, requests } = played(askOf('free', 'gone'), []);
    expect(run.run.error).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringContaining('"free" has no price'),
    });
    expect(requests).toEqual([]);
  });

  test('without a cost limit, a model without a price is called', () => {
    const { run } = played(askOf('free', 'default'), ['x'], { limits: { maxTokens: 100 } });
    expect(logOf(run)).toEqual(['free']);
  });

  test('with a cost limit, a model without a price is skipped, but a model over budget is not: the run fails', () => {
    const { run } = played(askOf('dear', 'default'), [], {
      catalog: { models: { ...models, dear: { price: { input: 1e6, output: 1 } } } },
    });
    expect(run.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', message: expect.stringContaining('maxCostUsd') });
  });
});

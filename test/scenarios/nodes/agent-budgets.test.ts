import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { Message } from '../../../src/graph/definition/message.ts';
import type { ModelCallRequest, ModelReply } from '../../../src/graph/run/effect.ts';
import { estimateRequest } from '../../../src/graph/superstep/budget.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CHANNELS, asks, modelDown, play, playAgent, says } from '../../support/builders/agents.ts';
import type { Agent, Stage } from '../../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';
import { aModelRequest } from '../../support/builders/call-builders.ts';
import { aDocument, aPicture } from '../../support/builders/file-parts.ts';
import { createRandom } from '../../support/builders/random.ts';
import { adds, typesOf } from '../../support/builders/runs.ts';
import { repetitions } from '../../support/builders/repetitions.ts';
import { runInMemory } from '../../support/doubles/memory-shell.ts';

const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const agent: NodeDefinition = { type: 'agent', prompt: 'Hello', tools: ['lookup', 'charge'] };
const together = (...ids: readonly string[]): GraphDefinition['edges'] => [{ from: '__start__', to: ids }];
const none = { next: () => null };

describe('a model call', () => {
  const ask: NodeDefinition = { type: 'llm', prompt: 'Hello' };
  const three = { nodes: { a: ask, b: ask, c: ask }, edges: together('a', 'b', 'c') };

  test.each([2_000, 6_000])(
    'a model call waits for the reservations of other calls of the same size, in a budget of %i',
    (maxTokens) => {
      const limits = { maxTokens };
      const { run } = play({ replies: [], graph: three, limits, outside: none });
      expect(run.out).toHaveLength(1);
      const { run: whole, requests } = play({ replies: ['x', 'y', 'z'], graph: three, limits });
      expect([whole.run.status, whole.run.spent.outputTokens]).toEqual(['completed', 15]);
      expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(
        [0, 15, 30].map((used) => Math.min(4_096, maxTokens - used - 6)),
      );
    },
  );

  test('a model call of an agent waits for budget at each turn, and nothing else waits', () => {
    const { run, requests, calls } = play({
      replies: [asks(look('a')), asks(look('b')), 'x', 'y'],
      graph: { nodes: { a: agent, b: agent, c: adds('at once') }, edges: together('a', 'b', 'c') },
      limits: { maxTokens: 3_000 },
    });
    expect([run.run.status, requests.length, calls.length]).toEqual(['completed', 4, 2]);
    expect(typesOf(run)).not.toContain('node.failed');
  });

  test('a model call waits for budget inside subgraphs, and for cost as well', () => {
    const child = aDefinition({ name: 'child', nodes: { inside: ask } });
    const { run, requests } = play({
      replies: ['x', 'y', 'z'],
      graph: {
        channels: { ...CHANNELS, n: { default: [1, 2, 3] } },
        nodes: { each: { type: 'subgraph', graph: child } },
        edges: [{ from: '__start__', forEach: 'state.n', to: 'each' }],
      },
      catalog: { models: { default: { price: { input: 1, output: 1 } } } },
      limits: { maxCostUsd: 0.003 },
    });
    expect([run.run.status, requests.length, run.run.spent.costMicros]).toEqual(['completed', 3, 45]);
  });

  test('a model call releases the reserved budget that it does not use', () => {
    const ask: NodeDefinition = { type: 'llm', prompt: 'Hello', maxOutputTokens: 900 };
    const graph = { nodes: { a: ask, b: ask } };
    const of = (first: Stage['replies'][number], limits: Stage['limits']): string =>
      play({
        replies: [first, 'x'],
        graph: { ...graph, nodes: { a: { ...ask, onError: { to: 'b' } }, b: ask } },
        limits: limits ?? {},
      }).run.run.status;
    expect(of('x', { maxTokens: 1_000 })).toBe('completed');
    expect(of(modelDown, { maxTokens: 1_000 })).toBe('completed');
  });

  test('a model call is limited to the rest of the budget, by tokens and by cost', () => {
    const outputs = (limits: NonNullable<Stage['limits']>, maxOutputTokens?: number): unknown =>
      playAgent({ tools: [], ...(maxOutputTokens !== undefined && { maxOutputTokens }) }, { replies: ['x'], limits })
        .requests[0]?.maxOutputTokens;
    expect(outputs({})).toBeNull();
    expect(outputs({ maxTokens: 100 })).toBe(94);
    expect(outputs({ maxTokens: 100 }, 50)).toBe(50);
    expect(outputs({ maxCostUsd: 0.0001 })).toBe(47);
    expect(outputs({ maxCostUsd: 0.0001, maxTokens: 20 })).toBe(14);
  });

  test.each([
    [{ maxTokens: 6 }, {}],
    [{ maxCostUsd: 0.000007 }, {}],
    [{ maxCostUsd: 0 }, {}],
    [{ maxCostUsd: 100 }, { model: 'spare' }],
    [{ maxCostUsd: 100 }, { model: 'gone' }],
  ])('a model call is not made if the budget %j is not enough for it: %j', (limits, over) => {
    const { run, requests } = playAgent({ tools: [], ...over }, { replies: ['x'], limits });
    expect([run.run.error?.code, requests.length]).toEqual(['BUDGET_EXCEEDED', 0]);
  });

  test('a model call costs nothing if the model is free', () => {
    const models = { default: { price: { input: 0, output: 0 } } };
    const { run } = playAgent({ tools: [] }, { replies: ['x'], limits: { maxCostUsd: 0 }, catalog: { models } });
    expect(run.run.status).toBe('completed');
  });

  test('the estimated input of a model call includes the offered tools', () => {
    const { tools } = aCatalog();
    const of = (...names: readonly string[]): number => estimateRequest(aModelRequest({ tools: [...names] }), tools);
    expect(of('lookup')).toBeGreaterThan(of() + 20);
    expect(of('lookup', 'charge', 'notify')).toBeGreaterThan(of('lookup', 'charge'));
    expect(of('nope', 'constructor')).toBe(of());
  });

  test('the estimated input of a model call includes tokens of other scripts, schemas and tool calls', () => {
    const of = (over: Partial<ModelCallRequest>): number => estimateRequest(aModelRequest(over), {});
    expect(of({ system: '日本語です' })).toBe(of({ system: 'x'.repeat(20) }));
    expect(of({ output: { type: 'object' } })).toBeGreaterThan(of({}));
    const toolCalls = [{ id: 'c', name: 'lookup', args: { key: 'x'.repeat(40) } }];
    expect(of({ messages: [{ id: 'm', role: 'assistant', content: '', toolCalls }] })).toBeGreaterThan(20);
  });

  test('the estimated input of a model call includes files of unknown size', () => {
    const of = (content: Message['content']): number =>
      estimateRequest(aModelRequest({ messages: [{ id: 'm', role: 'user', content }] }), {});
    const text = { type: 'text', text: 'Hello' } as const;
    expect(of([text])).toBe(of('Hello'));
    expect(of([text, aPicture()])).toBe(of('Hello') + 1_600);
    expect(of([aPicture(), aDocument(), text])).toBe(of('Hello') + 6_600);
  });

  test('the estimated input of a model call includes the parts that a provider needs back if they are longer than the content', () => {
    const of = (content: string, reasoning: string): number => {
      const providerParts = { provider: 'openai', parts: [{ encrypted: reasoning }] };
      return estimateRequest(aModelRequest({ messages: [{ id: 'm', role: 'assistant', content, providerParts }] }), {});
    };
    expect(of('hi', 'x'.repeat(4_000))).toBeGreaterThan(1_000);
    expect(of('x'.repeat(8_000), 'x'.repeat(4_000))).toBe(of('x'.repeat(8_000), ''));
  });

  test.each<[string, Agent, Stage['catalog']]>([
    ['its context', { context: { maxTokens: 500 } }, {}],
    ['its model', {}, { models: { default: { contextWindow: 500 } } }],
    [
      'its model, which takes less than its context',
      { context: { maxTokens: 900 } },
      { models: { default: { contextWindow: 500 } } },
    ],
  ])('the estimated input of a model call is no more than %s allows', (_name, over, catalog = {}) => {
    const { run, requests } = playAgent(
      { prompt: 'x'.repeat(40_000), tools: [], ...over },
      { replies: ['done'], limits: { maxTokens: 800 }, catalog },
    );
    expect([run.run.status, requests[0]?.maxOutputTokens]).toEqual(['completed', 300]);
  });
});

describe('maxToolCalls', () => {
  test('maxToolCalls allows no call of a turn that requests too many', () => {
    const { run, calls } = playAgent(
      {},
      { replies: [asks(look('a'), look('b'), look('c'))], limits: { maxToolCalls: 2 } },
    );
    expect(run.run.error).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringContaining('3 more would be made'),
    });
    expect(calls).toEqual([]);
  });

  test('maxToolCalls does not count calls that can not be made', () => {
    const { run } = playAgent(
      {},
      { replies: [asks(look('a'), ['nope', {}], ['lookup', {}]), 'x'], limits: { maxToolCalls: 1 } },
    );
    expect(run.run.status).toBe('completed');
  });

  test.each([[1], [100]])(
    'maxToolCalls counts calls that another agent has still to make, with a concurrency of %d',
    (maxConcurrency) => {
      const { run, calls } = play({
        replies: [asks(look('a'), look('b')), asks(look('c'), look('d')), 'x'],
        graph: { nodes: { a: agent, b: agent }, edges: together('a', 'b'), limits: { maxConcurrency } },
        limits: { maxToolCalls: 3 },
      });
      expect(run.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
      expect(calls).toHaveLength(2);
    },
  );

  test('maxToolCalls reserves the last call for the turn that planned it first', () => {
    const late: NodeDefinition = { type: 'tool', tool: 'lookup', args: { key: 'late' } };
    const child = aDefinition({ name: 'child', nodes: { nap: { type: 'wait', for: '1s' }, late } });
    const { run, calls } = play({
      replies: [asks(look('a'), ['charge', { key: 'b' }]), 'x'],
      graph: {
        nodes: { a: { ...agent, approve: { charge: 'always' } }, sub: { type: 'subgraph', graph: child } },
        edges: together('a', 'sub'),
      },
      limits: { maxToolCalls: 2 },
    });
    run.passTime(1_000);
    run.signal('approve', { by: { sub: 'ada', roles: ['approver'] } });
    expect(calls.map(({ args }) => args)).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(run.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', node: 'sub' });
  });

  test('maxToolCalls applies to a fallback tool that is called after another has failed', () => {
    const { run, keys } = playAgent(
      {},
      {
        replies: [asks(look('a')), 'x'],
        tools: { lookup: { onFailure: 'charge' } },
        limits: { maxToolCalls: 1 },
        graph: { limits: { maxToolCalls: 9 } },
        tool: ({ tool }) => {
          if (tool === 'lookup') throw modelDown;
          return 'ok';
        },
      },
    );
    expect(run.run.error?.code).toBe('BUDGET_EXCEEDED');
    run.reopen('retry', { limits: { maxToolCalls: 2 } });
    expect([run.run.status, keys.length, new Set(keys).size]).toEqual(['completed', 4, 4]);
  });
});

describe('maxConcurrency', () => {
  test.each([1, 2, 3])(
    'maxConcurrency %d lets two agents make all calls, and never more at a time',
    (maxConcurrency) => {
      let most = 0;
      const batch = asks(look('a'), look('b'), look('c'), look('d'));
      const { run, calls } = play({
        replies: [batch, batch, 'x', 'x'],
        graph: { nodes: { a: agent, b: agent }, edges: together('a', 'b'), limits: { maxConcurrency } },
        outside: {
          next: (out) => {
            most = Math.max(most, out.length);
            return out.length - 1;
          },
        },
      });
      expect([run.run.status, calls.length, most]).toEqual(['completed', 8, maxConcurrency]);
    },
  );

  test('maxConcurrency applies to the turn that follows a decision', () => {
    const by = { sub: 'ada', roles: ['approver'] };
    const { run } = play({
      replies: [asks(['notify', { key: 'a' }])],
      graph: {
        nodes: { a: { ...agent, tools: ['notify'] }, b: { type: 'tool', tool: 'lookup', args: { key: 'b' } } },
        edges: together('a', 'b'),
        limits: { maxConcurrency: 1 },
      },
      outside: { next: (out) => (out[0]?.request.kind === 'model' ? 0 : null) },
    });
    run.signal('reject', { by });
    expect(run.out.map(({ node }) => node)).toEqual(['b']);
  });
});

/* Models that use as much as they may, or less, and tools that answer anything. */

const nodes = fc.array(
  fc.record({
    type: fc.constantFrom('llm' as const, 'agent' as const),
    prompt: fc.string({ maxLength: 200, unit: 'grapheme' }).map((text) => text.replaceAll('{', '(')),
    tools: fc.subarray(['lookup', 'charge']),
    model: fc.constantFrom('default', ['cheap', 'default'], 'cheap'),
    maxOutputTokens: fc.integer({ min: 1, max: 3_000 }),
  }),
  { minLength: 1, maxLength: 4 },
);

const budgets = fc.record(
  {
    maxTokens: fc.integer({ min: 1, max: 8_000 }),
    maxCostUsd: fc.oneof(
      fc.integer({ min: 0, max: 9_000 }).map((micros) => micros / 1_000_000),
      fc.double({ min: 0, max: 0.01, noNaN: true }),
    ),
    maxToolCalls: fc.integer({ min: 0, max: 6 }),
    maxConcurrency: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
);

test('models that stay within their limits never overdraw a budget', () => {
  const catalog = aCatalog({
    models: { default: { price: { input: 1.7, output: 2.3 } }, cheap: { price: { input: 0.1, output: 0 } } },
  });
  fc.assert(
    fc.property(nodes, budgets, fc.boolean(), fc.nat(), (...[list, limits, isRow, seed]) => {
      const random = createRandom(seed);
      const ids = list.map((_, at) => `n${at}`);
      const all = Object.fromEntries(list.map((node, at) => [`n${at}`, node]));
      const graph = isRow ? { nodes: all } : { nodes: all, edges: together(...ids) };
      const model = (request: ModelCallRequest): ModelReply => {
        if (random.next() < 0.2) throw modelDown;
        return answerWithin(request, catalog, () => random.next());
      };
      const { run } = runInMemory(
        { definition: aDefinition(graph), catalog, input: {}, limits },
        { model, tool: () => 'x'.repeat(random.next() * 400), next: (out) => Math.floor(random.next() * out.length) },
      );
      const { spent } = run;
      expect(spent.inputTokens + spent.outputTokens).toBeLessThanOrEqual(limits.maxTokens ?? Number.POSITIVE_INFINITY);
      expect(spent.costMicros).toBeLessThanOrEqual((limits.maxCostUsd ?? Number.POSITIVE_INFINITY) * 1_000_000 + 1e-6);
      expect(spent.toolCalls).toBeLessThanOrEqual(limits.maxToolCalls ?? Number.POSITIVE_INFINITY);
      expect(run.calls).toEqual({});
    }),
    { numRuns: repetitions(300) },
  );
});

function answerWithin(
  request: ModelCallRequest,
  { tools }: ReturnType<typeof aCatalog>,
  next: () => number,
): ModelReply {
  const inputTokens = Math.floor(estimateRequest(request, tools) * (next() < 0.5 ? 1 : next()));
  const outputTokens = Math.floor((request.maxOutputTokens ?? 5_000) * (next() < 0.5 ? 1 : next()));
  const asked = request.tools.flatMap((name) => (next() < 0.7 ? [[name, { key: 'k' }] as const] : []));
  return says('x', { toolCalls: asks(...asked).toolCalls, usage: { inputTokens, outputTokens } });
}

describe('an answer that is requested again under its key is counted once', () => {
  /** Answers like a ledger: a key gets its recorded answer again. */
  function recorded(texts: readonly string[]): { readonly model: (request: ModelCallRequest, key: string) => string } {
    const answers = new Map<string, string>();
    return {
      model(_request, key) {
        const answer = answers.get(key) ?? texts[answers.size] ?? 'done';
        answers.set(key, answer);
        return answer;
      },
    };
  }

  const ask: NodeDefinition = { type: 'llm', prompt: 'Hello', output: { type: 'object' } };

  test.each<[string, NodeDefinition]>([
    ['a node', ask],
    ['an agent', { ...agent, output: { type: 'object' } }],
  ])('an answer requested again under its key counts once if no budget is left for the call of %s', (_name, node) => {
    const { run } = play({
      replies: [],
      graph: { nodes: { a: node }, limits: { maxTokens: 10_000 } },
      limits: { maxTokens: 100 },
      catalog: { models: { default: {} }, tools: {} },
      outside: recorded(['x'.repeat(350), '{}']),
    });
    expect(run.run).toMatchObject({ status: 'failed', spent: { modelCalls: 1 }, error: { code: 'BUDGET_EXCEEDED' } });
    run.reopen('retry', { limits: { maxTokens: 10_000 } });
    expect(run.run).toMatchObject({
      status: 'completed',
      spent: { modelCalls: 2, inputTokens: 20, outputTokens: 10, toolCalls: 0 },
    });
    expect(run.run.counted).toEqual([]);
  });

  test.each(['model', 'tool'] as const)(
    'an answer of a %s that arrived while the run was about to end is counted once when it is requested again under its key',
    (kind) => {
      let isHeld = true;
      const node: NodeDefinition = kind === 'tool' ? { type: 'tool', tool: 'charge', args: { key: 'x' } } : ask;
      const { run, keys } = play({
        replies: [],
        graph: {
          nodes: { a: node, z: { type: 'wait', event: 'go' } },
          edges: together('a', 'z'),
          limits: { deadline: '1m' },
        },
        outside: { ...recorded(['{}']), next: () => (isHeld ? null : 0) },
      });
      run.passTime(61_000);
      isHeld = false;
      run.signal('event', { event: 'late' });
      expect(run.run).toMatchObject({ status: 'failed', counted: ['run-1:a:1:0:0'] });
      const { spent } = run.run;
      expect(spent.modelCalls + spent.toolCalls).toBe(1);
      run.reopen('retry');
      run.signal('event', { event: 'go' });
      expect(run.run).toMatchObject({ status: 'completed', spent });
      expect(keys).toEqual(kind === 'tool' ? ['run-1:a:1:0:0', 'run-1:a:1:0:0'] : []);
    },
  );
});

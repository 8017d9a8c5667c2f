import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { ModelCallRequest, ModelReply, OverflowReply } from '../../../src/graph/run/effect.ts';
import type { RunLimits } from '../../../src/graph/run/limits.ts';
import type { Run } from '../../../src/graph/run/run.ts';
import { statusOf } from '../../../src/graph/run/status.ts';
import { estimateRequest } from '../../../src/graph/superstep/estimate-request.ts';
import { CHANNELS, asks, modelDown, says } from '../../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';
import { createRandom, seedOf } from '../../support/builders/random.ts';
import { repetitions } from '../../support/builders/repetitions.ts';
import { runInMemory } from '../../support/doubles/memory-shell.ts';
import { shown } from '../../support/readers/shown-run.ts';

/*
 * The answer of a model and its usage depend only on the key of the call, except that an answer is never longer than
 * allowed. So a run makes the same calls in any order of results, unless a budget ends it.
 */

const PRICES: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  default: { input: 1.7, output: 2.3 },
  dear: { input: 9, output: 11 },
  cheap: { input: 0.1, output: 0 },
};

const catalog = aCatalog({
  models: { ...Object.fromEntries(Object.entries(PRICES).map(([name, price]) => [name, { price }])), free: {} },
});

const sizes = fc.record({
  prompt: fc.integer({ min: 1, max: 1_200 }).map((length) => 'x'.repeat(length)),
  model: fc.constantFrom('default', ['cheap', 'dear'], ['free', 'default'], ['dear', 'free', 'cheap']),
  maxOutputTokens: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 3_000 })),
});

const nodes: fc.Arbitrary<readonly NodeDefinition[]> = fc.array(
  fc
    .tuple(sizes, fc.constantFrom('llm', 'agent'), fc.boolean(), fc.boolean())
    .map(([size, type, hasOutput, isSummarized]): NodeDefinition => ({
      type: type === 'llm' ? 'llm' : 'agent',
      ...size,
      ...(type === 'agent' && { tools: ['lookup'] }),
      ...(hasOutput && { output: { type: 'object' } }),
      ...(isSummarized && { context: { maxTokens: 150, strategy: 'summarize' } }),
      onError: { to: 'z' },
    })),
  { minLength: 2, maxLength: 6 },
);

const graphs = fc.tuple(nodes, fc.boolean()).map(([list, isNested]): Partial<GraphDefinition> => {
  const inside: GraphDefinition['nodes'] = { z: { type: 'set' }, ...numbered(list) };
  const edges = [{ from: '__start__', to: list.map((_, at) => `n${at}`) }];
  if (!isNested) return { nodes: inside, edges };
  const child = aDefinition({ name: 'child', nodes: inside, edges });
  return {
    channels: { ...CHANNELS, n: { default: [1, 2] } },
    nodes: { each: { type: 'subgraph', graph: child } },
    edges: [{ from: '__start__', forEach: 'state.n', to: 'each' }],
  };
});

function numbered(list: readonly NodeDefinition[]): Record<string, NodeDefinition> {
  return Object.fromEntries(list.map((node, at) => [`n${at}`, node]));
}

/** A budget as a share of what a run would use without limits. */
const share = fc.double({ min: 0.5, max: 4, noNaN: true });

interface Played {
  readonly run: Run;
  readonly keys: readonly string[];
  /** The largest input of a call, and the price of reading it and writing a token, in millionths of a US dollar. */
  readonly largest: { readonly tokens: number; readonly micros: number };
}

interface Staging {
  readonly graph: Partial<GraphDefinition>;
  readonly limits: Partial<RunLimits>;
  /** Determines the answers of models. */
  readonly seed: number;
  /** Determines the order of results. */
  readonly order: number;
}

function play({ graph, limits, seed, order }: Staging): Played {
  const random = createRandom(order);
  const keys: string[] = [];
  const largest = { tokens: 0, micros: 0 };
  const model = (request: ModelCallRequest, key: string): ModelReply | OverflowReply => {
    keys.push(key);
    const input = readBy(request);
    const { input: ofInput, output: ofOutput } = PRICES[request.model] ?? { input: 0, output: 0 };
    largest.tokens = Math.max(largest.tokens, input + 1);
    largest.micros = Math.max(largest.micros, Math.ceil(input * ofInput + ofOutput) + 1);
    return answer(request, seedOf(key, seed), input);
  };
  const { run } = runInMemory(
    { definition: aDefinition({ channels: CHANNELS, ...graph }), catalog, input: {}, limits },
    { model, tool: () => 'found', next: (out) => Math.floor(random.next() * out.length) },
  );
  return { run, keys: keys.toSorted(), largest };
}

function readBy(request: ModelCallRequest): number {
  return Math.min(estimateRequest(request, catalog.tools), request.context?.maxTokens ?? Number.POSITIVE_INFINITY);
}

/** Fails, returns an object that breaks the schema, requests tools, requests a summary, or answers. */
function answer(request: ModelCallRequest, seed: number, input: number): ModelReply | OverflowReply {
  const random = createRandom(seed);
  const kind = random.next();
  if (kind < 0.2) throw modelDown;
  if (kind < 0.35 && request.context?.strategy === 'summarize') return { kind: 'overflow', messages: 1 };
  const inputTokens = Math.floor(input * random.next());
  const outputTokens = Math.min(request.maxOutputTokens ?? 3_000, Math.floor(random.next() * 60));
  const usage = { inputTokens, outputTokens };
  if (kind < 0.6) return says('x'.repeat(Math.floor(random.next() * 300)), { usage });
  if (kind < 0.8 && request.tools.length > 0) return { ...asks(['lookup', { key: 'k' }]), usage };
  return says('{}', { usage });
}

const shares = fc.record(
  { maxTokens: share, maxCostUsd: share, maxConcurrency: fc.integer({ min: 1, max: 6 }) },
  { requiredKeys: [] },
);

/** Returns budgets as a share of what a run has used. */
function limitsOf(
  { maxTokens, maxCostUsd, ...rest }: { maxTokens?: number; maxCostUsd?: number; maxConcurrency?: number },
  spent: Run['spent'],
): Partial<RunLimits> {
  const tokens = spent.inputTokens + spent.outputTokens;
  return {
    ...rest,
    ...(maxTokens !== undefined && { maxTokens: Math.ceil(tokens * maxTokens) + 1 }),
    ...(maxCostUsd !== undefined && { maxCostUsd: Math.ceil(spent.costMicros * maxCostUsd) / 1_000_000 }),
  };
}

/** Returns the rest of a run's budgets without reservations. */
function leftOf({ spent, limits }: Run): Played['largest'] {
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = limits;
  const tokens = maxTokens - spent.inputTokens - spent.outputTokens;
  return { tokens, micros: maxCostUsd * 1_000_000 + 1e-6 - spent.costMicros };
}

test('model calls wait for reserved budget, and fail only if the spent budget leaves no room', () => {
  fc.assert(
    fc.property(graphs, shares, fc.nat(), fc.nat(), (...[graph, given, seed, order]) => {
      // With a cost limit, models without a price are skipped. A limit out of reach gives the comparison the same
      // behavior.
      const unbounded = given.maxCostUsd === undefined ? {} : { maxCostUsd: 1e6 };
      const free = play({ graph, limits: unbounded, seed, order: 0 });
      const { run, keys } = play({ graph, limits: limitsOf(given, free.run.spent), seed, order });
      const left = leftOf(run);
      expect(run.calls).toEqual({});
      expect(Math.min(left.tokens, left.micros)).toBeGreaterThanOrEqual(0);
      const mayFail = left.tokens < free.largest.tokens || left.micros < free.largest.micros;
      const isRefused = mayFail && shown(run).error?.code === 'BUDGET_EXCEEDED';
      expect([statusOf(run), ...(isRefused ? [] : keys)]).toEqual(isRefused ? ['failed'] : ['completed', ...free.keys]);
    }),
    { numRuns: repetitions(300) },
  );
});

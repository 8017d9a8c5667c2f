import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { defineFunction, result, StateGraph } from '../../../src/index.ts';
import type { DefinedFunction, FunctionCommand } from '../../../src/index.ts';
import { runGraph } from '../../../src/testing/index.ts';
import { validateGraph } from '../../../src/graph/validate/index.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';

const ORDER = z.object({ order: z.string(), euros: z.number().default(5) });

describe('the types of defineFunction', () => {
  test('a function receives what its schema makes of the arguments', () => {
    const defined = defineFunction({
      parameters: ORDER,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ order: string; euros: number }>();
      },
    });
    expect(defined.parameters).toBe(ORDER);
  });

  test('a function returns what its result schema accepts, or a command', () => {
    const score = z.object({ score: z.number() });
    expectTypeOf<FunctionCommand>().toHaveProperty('goto');
    defineFunction({ result: score, execute: () => ({ score: 1 }) });
    defineFunction({ result: score, execute: async () => await Promise.resolve({ goto: 'again' }) });
    defineFunction({ result: { type: 'number' }, execute: () => 1 });
    // @ts-expect-error a score is a number
    defineFunction({ result: score, execute: () => ({ score: 'high' }) });
    // @ts-expect-error the result is a number
    expect(defineFunction({ result: { type: 'number' }, execute: () => 'high' }).result).toEqual({ type: 'number' });
  });
});

/** Runs a graph of one function node. */
const play = async (code: DefinedFunction, args: JsonObject) => {
  const graph = new StateGraph({ name: 'g', channels: { args: {}, out: {}, log: { reducer: 'append' } } })
    .addNode('work', { type: 'function', function: 'work', args: '{{ state.args }}', mayGoto: ['again'], write: 'out' })
    .addNode('again', { type: 'set', write: { log: 'again' } })
    .addEdge('__start__', 'work')
    .addEdge('work', '__end__')
    .addEdge('again', '__end__');
  const { status, state, error } = await runGraph(graph, { args }, { config: { functions: { work: code } } });
  return { status, out: state.out, log: state.log, message: error?.message };
};

test('arguments are read by the schema before the function is called', async () => {
  const code = defineFunction({ parameters: ORDER, execute: ({ order, euros }) => `${order}: ${euros}` });
  expect(await play(code, { order: 'A-1' })).toMatchObject({ status: 'completed', out: 'A-1: 5' });
});

test.each<[schema: string, DefinedFunction]>([
  ['of zod', defineFunction({ parameters: ORDER, execute: () => 'called' })],
  [
    'in JSON',
    defineFunction({
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      execute: () => 'called',
    }),
  ],
])('a function is not called with arguments that break its schema %s', async (_schema, code) => {
  const { status, message } = await play(code, { order: 1 });
  expect(status).toBe('failed');
  expect(message).toContain('The arguments of the function break its parameters at /order: ');
});

test.each<[returned: string, unknown, string]>([
  ['a value of the schema', 7, 'completed'],
  ['a command', { goto: 'again' }, 'completed'],
  ['another value', 'high', 'failed'],
  ['a plain result that looks like a command', result({ goto: 'again' }), 'failed'],
])('a function that returns %s is checked by its result schema', async (_what, returned, status) => {
  const code: DefinedFunction = { result: { type: 'number' }, execute: () => returned };
  const played = await play(code, {});
  expect(played.status).toBe(status);
  expect(played.message ?? '').toMatch(
    status === 'failed' ? /^The result of the function breaks its schema at \/: must be of type number/ : /^$/,
  );
});

test('a schema that throws refuses the call before the function is called', async () => {
  const parameters = z.object({}).transform(() => {
    throw new Error('no such customer');
  });
  const code: DefinedFunction = { parameters, effect: 'unsafe', execute: () => expect.unreachable() };
  expect(await play(code, {})).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('no such customer'),
  });
});

test('a function whose result is no JSON is called once', async () => {
  let calls = 0;
  const code: DefinedFunction = { result: { type: 'number' }, execute: () => ((calls += 1), Number.NaN) };
  expect(await play(code, {})).toMatchObject({ status: 'failed' });
  expect(calls).toBe(1);
});

test.each<[args: JsonObject, path: string]>([
  [{ order: 1 }, '/nodes/work/args/order'],
  [{ oder: 'A-1' }, '/nodes/work/args'],
])('arguments %j of a function node are refused when the graph is checked', (args, path) => {
  const work = defineFunction({ parameters: ORDER, execute: () => null });
  const catalog = toCatalog(parseConfig('a test', { functions: { work } }));
  const nodes = { work: { type: 'function', function: 'work', args, write: 'log' } } as const;
  const issues = validateGraph(toJson(aDefinition({ nodes })), catalog);
  expect(issues.map((issue) => issue.path)).toContain(path);
});

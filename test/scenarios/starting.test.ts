import { describe, expect, test } from 'vitest';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { checkInput } from '../../src/graph/compile/check-input.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { pinCatalog } from '../../src/graph/definition/pin-catalog.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { addsNames } from '../support/builders/runs.ts';
import { shown } from '../support/readers/shown-run.ts';

describe('a run', () => {
  test('a run that begins at a node named by its caller does not evaluate the edges of the start', () => {
    const graph = compileGraph(aDefinition({ nodes: addsNames('a', 'b', 'c') }), aCatalog());
    const { run } = startRun(graph, IDENTITY, { input: { log: 'in' }, startedAt: 0, startAt: 'b' });
    expect(shown(run)).toMatchObject({ status: 'completed', output: { log: ['in', 'b', 'c'] } });
  });

  test('a run has its own breakpoints in addition to those of its graph, but not inside subgraphs', () => {
    const sub = { type: 'subgraph', graph: aDefinition({ nodes: addsNames('b') }) } as const;
    const graph = compileGraph(aDefinition({ nodes: { ...addsNames('a'), b: sub } }), aCatalog());
    const { run } = startRun(graph, IDENTITY, { input: {}, startedAt: 0, breakpoints: { before: ['b'], after: [] } });
    expect(shown(run)).toMatchObject({ status: 'paused', root: { at: { kind: 'before', nodes: ['b'] } } });
  });

  test('a run fails if its input is invalid', () => {
    const graph = compileGraph(
      aDefinition({ channels: { log: { reducer: 'append' }, n: { reducer: 'sum' } } }),
      aCatalog(),
    );
    const { run } = startRun(graph, IDENTITY, { input: { n: 'x' }, startedAt: 0 });
    expect(shown(run).error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION' });
  });
});

describe('an input', () => {
  const channels: GraphDefinition['channels'] = {
    log: { reducer: 'append' },
    n: { reducer: 'sum' },
    age: { schema: { type: 'integer' } },
    chat: { reducer: 'messages' },
    ask: {},
  };

  test.each([
    [{}, []],
    [
      {
        n: 1,
        age: 3,
        log: 'x',
        chat: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
      [],
    ],
    [{ n: 'x', age: 1.5 }, ['/n', '/age']],
    [{ chat: 'x' }, ['/chat']],
    [{ chat: { role: 'nobody', content: 'x' } }, ['/chat']],
    [{ ask: 1, nope: 1 }, ['/ask', '/nope']],
  ])('a run input of %j has issues at %j', (...[input, paths]) => {
    const graph = compileGraph(aDefinition({ channels, input: ['log', 'n', 'age', 'chat'] }), aCatalog());
    expect(checkInput(graph, input).map(({ path }) => path)).toEqual(paths);
  });

  test('a run input may set every channel if the graph lists no input channels', () => {
    expect(checkInput(compileGraph(aDefinition({ channels }), aCatalog()), { ask: 1 })).toEqual([]);
  });
});

describe('the catalog of a run', () => {
  test('the catalog of a run contains the tools and models that the graph uses, including those of subgraphs', () => {
    const leaf = aDefinition({
      nodes: { t: { type: 'tool', tool: 'lookup' }, f: { type: 'function', function: 'double' } },
    });
    const named = aDefinition({
      nodes: { l: { type: 'llm', prompt: 'x', model: ['spare'] }, s: { type: 'subgraph', graph: leaf } },
    });
    const catalog = aCatalog({ graphs: { named, other: leaf } });
    const definition = aDefinition({
      nodes: {
        t: { type: 'tool', tool: 'charge' },
        s: { type: 'subgraph', graph: 'named' },
        again: { type: 'subgraph', graph: 'named' },
        gone: { type: 'subgraph', graph: 'gone' },
      },
    });
    const slice = pinCatalog(definition, catalog);
    expect(Object.keys(slice.tools)).toEqual(['lookup', 'charge']);
    expect(Object.keys(slice.models)).toEqual(['spare']);
    expect(Object.keys(slice.functions)).toEqual(['double']);
    expect(Object.keys(slice.graphs ?? {})).toEqual(['named']);
    expect(() => compileGraph(definition, slice)).toThrow(/no graph/);
  });

  test('the catalog of a run contains no graphs if none are named, and the default model', () => {
    const slice = pinCatalog(aDefinition({ nodes: { l: { type: 'llm', prompt: 'x' } } }), aCatalog());
    expect(Object.keys(slice.models)).toEqual(['default']);
    expect(slice).not.toHaveProperty('graphs');
  });

  test('a node fails if its tool was removed from the catalog of its run', () => {
    const graph = compileGraph(aDefinition({ nodes: { t: { type: 'tool', tool: 'gone' } } }), aCatalog());
    expect(shown(startRun(graph, IDENTITY, { input: {}, startedAt: 0 }).run).error?.code).toBe('TOOL_NOT_FOUND');
  });
});

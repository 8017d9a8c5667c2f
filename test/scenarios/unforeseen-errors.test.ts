import { Environment } from '@marcbachmann/cel-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import type { Advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { describeNode } from '../../src/graph/definition/node-types/describe-node.ts';
import { parseExpression } from '../../src/graph/expression/expression.ts';
import { parseTemplate } from '../../src/graph/expression/template.ts';
import type { Run } from '../../src/graph/run/run.ts';
import { expressions } from '../../src/graph/validate/rules/expressions.ts';
import { templates } from '../../src/graph/validate/rules/templates.ts';
import { unusedChannels } from '../../src/graph/validate/rules/unused-channels.ts';
import { readSubject } from '../../src/graph/validate/subject.ts';
import { toRunError } from '../../src/graph/values/errors.ts';
import { compileJsonSchema } from '../../src/graph/values/json-schema.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { IDENTITY } from '../support/builders/run-identity.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { addsNames } from '../support/builders/runs.ts';
import { shown } from '../support/readers/shown-run.ts';

/*
 * Errors of the interpreter itself. They are not treated as faults of an expression or an edge: the run fails with
 * `INTERNAL`, and validation rethrows them.
 */

const BROKEN = 'nobody foresaw this';
const broken = (): never => {
  throw new TypeError(BROKEN);
};
const INTERNAL = { status: 'failed', error: { code: 'INTERNAL', message: `TypeError: ${BROKEN}` } };

/** A value that throws when it is read. */
const poison: Json = Object.defineProperty({}, 'n', { get: broken, enumerable: true });

/** A graph whose edges of one node throw. */
function withBrokenEdges(source: string, over: Partial<GraphDefinition>): CompiledGraph {
  const graph = compileGraph(aDefinition(over), aCatalog());
  const edge = { id: '0', sources: [source], targets: broken };
  return { ...graph, outgoing: new Map([...graph.outgoing, [source, [edge]]]) };
}

const start = (graph: CompiledGraph): Advance => startRun(graph, IDENTITY, { input: {}, startedAt: 0 });

function poisoned({ run }: Advance): Run {
  return { ...run, root: { ...run.root, channels: { ...run.root.channels, log: poison } } };
}

afterEach(() => {
  vi.restoreAllMocks();
});

const SET = describeNode({ type: 'set' });

describe('an edge that throws', () => {
  test('an edge that throws at the start fails the run', () => {
    expect(shown(start(withBrokenEdges('__start__', {})).run)).toMatchObject(INTERNAL);
  });

  test('an edge that throws at a breakpoint fails the run', () => {
    expect(shown(start(withBrokenEdges('a', { interruptAfter: ['a'] })).run)).toMatchObject(INTERNAL);
  });

  test('an edge that throws during the check of an edit fails the run', () => {
    const graph = withBrokenEdges('ask', { nodes: { ask: { type: 'approval', title: 'x' }, ...addsNames('b') } });
    const signal = { kind: 'signal', name: 'edit', payload: { asNode: 'ask' }, at: 1 } as const;
    expect(shown(advance(graph, start(graph).run, signal).run)).toMatchObject(INTERNAL);
  });
});

describe('a value that throws', () => {
  const pays = { type: 'tool', tool: 'charge', args: { key: 'k' } } as const;
  const failed = {
    kind: 'call.failed',
    failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: 'declined' } },
    at: 1,
  } as const;

  test('a value that throws an error when a failure is written fails the run', () => {
    const onError = { to: 'b', write: { log: '{{ state.log.n }}' } };
    const edges = [{ from: '__start__', to: 'a' }];
    const graph = compileGraph(
      aDefinition({ nodes: { a: { ...pays, onError }, ...addsNames('b') }, edges }),
      aCatalog(),
    );
    const first = start(graph);
    const [key = ''] = Object.keys(first.run.calls);
    expect(shown(advance(graph, poisoned(first), { ...failed, key }).run)).toMatchObject(INTERNAL);
  });

  test('a value that throws an error when a person skips a node fails the run', () => {
    const write = { log: '{{ state.log.n }}' };
    const graph = compileGraph(aDefinition({ nodes: { a: { ...pays, onError: 'intervene', write } } }), aCatalog());
    const first = start(graph);
    const [key = ''] = Object.keys(first.run.calls);
    const waiting = advance(graph, first.run, { ...failed, key });
    expect(shown(waiting.run).status).toBe('waiting');
    const signal = { kind: 'signal', name: 'skip', payload: { output: 1 }, at: 2 } as const;
    expect(shown(advance(graph, poisoned(waiting), signal).run)).toMatchObject(INTERNAL);
  });

  test('an error that a value throws in a template is rethrown', () => {
    const template = parseTemplate('{{ state.n }}', ['state'], 'args');
    expect(() => template.fill({ state: poison })).toThrow(BROKEN);
  });

  test('an error that a value throws under a schema is rethrown', () => {
    const check = compileJsonSchema({ properties: { n: { type: 'number' } } });
    expect(() => check(poison)).toThrow(BROKEN);
  });
});

describe('a CEL library that throws', () => {
  const noTree = 'The CEL library gave no syntax tree';
  const giveNoTree = (): void => {
    const program = new Environment().parse('1');
    vi.spyOn(Environment.prototype, 'parse').mockReturnValue(Object.assign(() => 1, program, { ast: null }));
  };
  const subject = readSubject(
    {
      name: 'x',
      channels: { log: {} },
      nodes: { a: { type: 'set', write: { log: '{{ 4711 + 1 }}' } } },
      edges: [{ from: 'a', forEach: '4711 + 2', to: 'a' }],
    },
    aCatalog(),
  );

  test('an error of the CEL library is not treated as a fault of the expression', () => {
    giveNoTree();
    expect(() => parseExpression('4711 + 3', ['state'])).toThrow(noTree);
    expect(() => parseTemplate('{{ 4711 + 3 }}', ['state'], 'args')).toThrow(noTree);
  });

  test.each([
    ['expressions', expressions, '4711 + 6'],
    ['templates', templates, '4711 + 7'],
    ['channels', unusedChannels, '4711 + 8'],
  ])('an error of the CEL library is not an issue of the %s of a definition', (...[, { find }, source]) => {
    expect(find({ ...subject, edges: [] })).not.toContainEqual(expect.objectContaining({ severity: 'error' }));
    giveNoTree();
    const nodes = new Map([
      ['a', { id: 'a', type: 'set', path: '/nodes/a', fields: { write: { x: `{{ ${source} }}` } }, description: SET }],
    ]);
    const fields = { from: 'a', forEach: source, to: 'a' };
    const edge = { fields, path: '/edges/0', kind: 'forEach', sources: [], targets: [] } as const;
    expect(() =>
      find({ ...subject, nodes, edges: [{ ...edge, expressions: [{ source, path: '/edges/0/forEach' }] }] }),
    ).toThrow(noTree);
  });

  test('an error of the CEL library that is only a string is quoted', () => {
    vi.spyOn(Environment.prototype, 'parse').mockImplementation(() => {
      AbortSignal.abort(BROKEN).throwIfAborted();
      return broken();
    });
    expect(() => parseExpression('4711 + 5', ['state'])).toThrow(BROKEN);
  });
});

test('any value that code throws becomes the error of a run', () => {
  expect([toRunError(new RangeError('far')), toRunError('text')]).toEqual([
    { code: 'INTERNAL', message: 'RangeError: far' },
    { code: 'INTERNAL', message: 'text' },
  ]);
});

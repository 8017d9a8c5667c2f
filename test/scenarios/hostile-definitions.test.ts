import { describe, expect, test } from 'vitest';
import type { ChannelDefinition, GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { checkInput } from '../../src/graph/compile/check-input.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { validateGraph } from '../../src/graph/validate/validate-graph.ts';
import { unitsSpent } from '../../src/graph/values/meter.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/*
 * Definitions that untrusted clients may publish. Each activation of a run costs a bounded number of units, whatever
 * they contain.
 */

/** The units of the most expensive `advance`: a full draft, and everything that can't be interrupted. */
const MAX_ADVANCE_UNITS = 15_000_000;

const LIST = Array.from({ length: 300 }, (_, at) => at);
const DEAR = 'state.l.exists(x, state.l.exists(y, x + y > 100000))';
const catalog = aCatalog({});

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const named = <T>(count: number, make: (at: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (at) => [`n${at}`, make(at)]));

interface Played {
  readonly result: MemoryRun;
  readonly units: number;
}

function play(definition: GraphDefinition, input: Record<string, Json> = {}): Played {
  const before = unitsSpent();
  const result = runInMemory({ definition, catalog, input }, {});
  return { result, units: unitsSpent() - before };
}

function aGraph(
  nodes: Record<string, NodeDefinition>,
  channels: Record<string, ChannelDefinition>,
  edges: GraphDefinition['edges'] = [],
): GraphDefinition {
  const first = Object.keys(nodes).map((node) => ({ from: '__start__', to: node }));
  return aDefinition({ nodes, channels: { l: { default: LIST }, o: {}, ...channels }, edges: [...first, ...edges] });
}

describe('costly definitions', () => {
  test('a run fails at a bounded cost if its template repeats an expensive expression 400 times (B1)', () => {
    const { result, units } = play(aGraph({ a: { type: 'set', write: { o: `{{ ${DEAR} }} `.repeat(400) } } }, {}));
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    expect(result.run.error?.message).toMatch(/write\.o: .*Node "a" is too expensive/);
    expect(units).toBeLessThan(MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its node writes 400 channels by expensive expressions (B2)', () => {
    const write = Object.fromEntries(many(400, (at) => [`c${at}`, `{{ ${DEAR} }}`]));
    const { result, units } = play(
      aGraph({ a: { type: 'set', write } }, Object.fromEntries(many(400, (at) => [`c${at}`, {}]))),
    );
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    expect(units).toBeLessThan(MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its edge has 400 expensive branches (B3)', () => {
    const branches = [...many(400, () => ({ when: DEAR, to: 'b' })), { to: '__end__' }];
    const graph = aGraph({ a: { type: 'set', write: {} } }, {}, [{ from: 'a', branches }]);
    const { result, units } = play({ ...graph, nodes: { ...graph.nodes, b: { type: 'set', write: {} } } });
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    expect(units).toBeLessThan(MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its reducer is expensive for each of 400 writes of a superstep (B4)', () => {
    const reducer = { expr: 'update.exists(x, update.exists(y, x + y > 100000)) ? 1 : 2' };
    const { result, units } = play(
      aGraph(
        named(400, () => ({ type: 'set', write: { r: LIST } })),
        { r: { reducer } },
      ),
    );
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED' });
    expect(result.run.error?.message).toMatch(/The sum of all writes of the superstep is too expensive/);
    expect(units).toBeLessThan(2 * MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its template makes far more text than allowed (C1)', () => {
    const write = { o: many(12, () => '{{state.s}}'.repeat(400)) };
    const { result, units } = play(aGraph({ a: { type: 'set', write } }, { s: { default: 'x'.repeat(900_000) } }));
    expect(result.run.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', node: 'a' });
    expect(units).toBeLessThan(MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its 150 expressions each cost just less than allowed (H7)', () => {
    const write = { o: many(150, () => `{{ ${DEAR} }}`) };
    const { result, units } = play(aGraph({ a: { type: 'set', write } }, {}));
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    expect(units).toBeLessThan(MAX_ADVANCE_UNITS);
  });

  test('a run fails at a bounded cost if its forEach lists more tasks than a superstep may have', () => {
    const graph = aGraph({ a: { type: 'set', write: {} } }, { big: { default: many(10_001, () => 0) } }, [
      { from: 'a', forEach: 'state.big', to: 'b' },
    ]);
    const { result } = play({ ...graph, nodes: { ...graph.nodes, b: { type: 'set', write: {} } } });
    expect(result.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    expect(result.run.error?.message).toContain('allows 10000');
  });

  test('a run fails at a bounded cost if its channels together exceed the limit (M9)', () => {
    const half = '{{ state.half }}';
    const graph = aGraph(
      named(70, (at) => ({ type: 'set', write: { [`n${at}`]: half } })),
      {
        half: { default: 'x'.repeat(1_000_000) },
        ...Object.fromEntries(many(70, (at) => [`n${at}`, {}])),
      },
    );
    expect(play(graph).result.run.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('a JSON Schema that doubles the work at each level takes linear time', () => {
  const doubling = (levels: number, keyword: string): Record<string, Json> =>
    Object.fromEntries([
      ['d0', { type: 'number' }],
      ...many(levels, (at) => {
        const reference = { $ref: `#/$defs/d${at}` };
        return [`d${at + 1}`, { [keyword]: [reference, reference] }];
      }),
    ]);

  test.each(['allOf', 'anyOf', 'oneOf'])(
    'a JSON Schema that doubles the work at each level takes linear time by %s behind a condition (A1)',
    (keyword) => {
      const behind = JSON.parse('{"then":{"$ref":"#/$defs/d30"}}');
      const schema = { $defs: doubling(30, keyword), if: { const: 'boom' }, ...behind };
      const graph = aGraph({ a: { type: 'set', write: { s: 'boom' } } }, { s: { schema } });
      expect(
        validateGraph(JSON.parse(JSON.stringify(graph)), catalog).filter(({ code }) => code !== 'UNUSED_CHANNEL'),
      ).toEqual([]);
      const { result, units } = play(graph);
      expect(result.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION' });
      expect(units).toBeLessThan(1_000_000);
    },
  );

  test('a JSON Schema that doubles the work at each level takes linear time for the arguments that an approver edits (A3)', () => {
    const behind = JSON.parse('{"then":{"$ref":"#/$defs/d30"}}');
    const boom = { type: 'object', properties: { a: { const: 'boom' } }, required: ['a'] };
    const argsSchema = { $defs: doubling(30, 'anyOf'), if: boom, ...behind };
    const { result } = play(aGraph({ a: { type: 'approval', title: 'May I?', args: { a: 1 }, argsSchema } }, {}));
    const before = unitsSpent();
    result.signal('approve', { by: { sub: 'ada', roles: ['approver'] }, args: { a: 'boom' } });
    expect(result.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'invalid_args' });
    expect(unitsSpent() - before).toBeLessThan(1_000_000);
  });

  test('a JSON Schema that doubles the work at each level takes linear time during its publication (C3, A2)', () => {
    const schema = { $defs: doubling(26, 'allOf'), $ref: '#/$defs/d26' };
    const before = unitsSpent();
    const issues = validateGraph(JSON.parse(JSON.stringify(aGraph({}, { s: { schema } }))), catalog);
    expect(issues.map(({ code }) => code)).not.toContain('INVALID_SCHEMA');
    expect(unitsSpent() - before).toBeLessThan(1_000_000);
  });
});

test("an input is refused at a bounded cost if the channel's reducer multiplies its size (C2)", () => {
  const reducer = { expr: `[${many(950, () => 'update').join(', ')}]` };
  const graph = compileGraph(aGraph({ a: { type: 'set', write: {} } }, { x: { reducer } }), catalog);
  const before = unitsSpent();
  const issues = checkInput(graph, { x: many(500_000, () => 0) });
  expect(issues).toMatchObject([{ path: '/x', message: expect.stringContaining('takes over 8000000 bytes') }]);
  expect(unitsSpent() - before).toBeLessThan(MAX_ADVANCE_UNITS);
});

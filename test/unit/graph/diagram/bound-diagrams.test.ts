import { describe, expect, test } from 'vitest';
import { DIAGRAM_WRITERS } from '../../../../src/graph/diagram/write-diagram.ts';
import { aDefinition } from '../../../support/builders/builders.ts';

/** A route with one label of a given length, and a number of targets. */
function aRoute(label: string, targets: number) {
  const ids = Array.from({ length: targets }, (_, at) => `n${at}`);
  return aDefinition({
    nodes: Object.fromEntries(['first', ...ids].map((id) => [id, { type: 'set' as const }])),
    edges: [
      { from: '__start__', to: 'first' },
      { from: 'first', route: 'state.kind', paths: { [label]: ids } },
    ],
  });
}

describe.each(Object.entries(DIAGRAM_WRITERS))('a drawing in %s', (_format, write) => {
  test('a label that is drawn at each target of an edge is truncated', () => {
    const definition = aRoute('<'.repeat(20_000), 1_000);
    expect(write(definition).length).toBeLessThan(2_000_000);
    expect(write(aRoute('<'.repeat(40_000), 1_000))).toHaveLength(write(definition).length);
  });

  test('a diagram cuts the lines of a node', () => {
    const nodes = { a: { type: 'wait' as const, event: 'x'.repeat(10_000) } };
    const text = write(aDefinition({ nodes }));
    expect(text).toContain('x'.repeat(100));
    expect(text.length).toBeLessThan(1_000);
  });

  test('a diagram cuts long ids in the keys of shapes, which stay unique', () => {
    const [one, other] = ['a', 'b'].map((end) => 'x'.repeat(10_000) + end);
    const nodes = { [`${one}`]: { type: 'set' as const }, [`${other}`]: { type: 'set' as const } };
    const text = write(aDefinition({ nodes, edges: [{ from: '__start__', to: [`${one}`, `${other}`] }] }));
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain('x__2');
  });

  test('a diagram contains the number of arrows beyond the limit', () => {
    const definition = aRoute('x', 1_000);
    const route = definition.edges.slice(1);
    const many = { ...definition, edges: [...definition.edges, ...route, ...route, ...route, ...route, ...route] };
    const text = write(many);
    expect(text).toContain('1001 more arrows are not drawn');
    expect(text.match(/-->/g)).toHaveLength(5_000);
  });

  test('a diagram omits no arrow while their number is within the limit', () => {
    expect(write(aRoute('x', 1_000))).not.toContain('not drawn');
  });
});

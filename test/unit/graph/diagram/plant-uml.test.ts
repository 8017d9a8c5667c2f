import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_MARKS } from '../../../../src/graph/diagram/diagram.ts';
import type { Diagram, DiagramShape } from '../../../../src/graph/diagram/diagram.ts';
import { toPlantUml } from '../../../../src/graph/diagram/write-diagram.ts';
import { toDiagram } from '../../../../src/graph/diagram/to-diagram.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { hostileDefinition } from '../../../support/builders/hostile-definitions.ts';
import { repetitions } from '../../../support/builders/repetitions.ts';
import { parsePlantUml } from '../../../support/readers/plant-uml.ts';
import { displayedText } from '../../../support/readers/displayed-text.ts';

describe('toPlantUml', () => {
  test('writes a state diagram', () => {
    const edges = [
      { from: '__start__', to: ['a', 'b'] },
      { from: ['a', 'b'], branches: [{ when: 'state.n > 1', to: '__end__' }] },
    ];
    expect(toPlantUml(aDefinition({ nodes: { a: { type: 'set' }, b: { type: 'tool', tool: 'charge' } }, edges })))
      .toBe(`@startuml
hide empty description
state "a\\nset" as n_a #F7F7F7
state "b\\ntool: charge" as n_b #F3E8FA
state join_1 <<join>>
[*] --> n_a
[*] --> n_b
n_a --> join_1
n_b --> join_1
join_1 --> [*] : state.n <U+003E> 1
@enduml
`);
  });

  test('marks visited, current and deferred nodes', () => {
    const nodes = { a: { type: 'set' }, b: { type: 'set' }, c: { type: 'set', defer: true } } as const;
    const { states } = parsePlantUml(toPlantUml(aDefinition({ nodes }), { visited: ['a', 'b'], current: ['b'] }));
    expect([...states.values()].map(({ colors }) => colors)).toEqual([
      '#D9F2D9;line:2E7D32',
      '#FFE8B3;line:E65100;line.bold',
      '#F7F7F7;line.dashed',
    ]);
  });

  test('draws the graphs that an agent has as tools inside it', () => {
    const nodes = { a: { type: 'agent', prompt: 'x', tools: [{ graph: 'refund' }] } } as const;
    const { states } = parsePlantUml(toPlantUml(aDefinition({ nodes })));
    expect([...states].map(([key, { inside }]) => [key, inside])).toEqual([
      ['n_a', null],
      ['n_a_refund', 'n_a'],
    ]);
  });

  test('draws the graph of an inline subgraph inside it, with its own points', () => {
    const graph = aDefinition({ nodes: { deep: { type: 'subgraph', graph: aDefinition() } } });
    const { states, arrows } = parsePlantUml(
      toPlantUml(aDefinition({ nodes: { outer: { type: 'subgraph', graph } } })),
    );
    expect([...states].map(([key, { inside }]) => [key, inside])).toEqual([
      ['n_outer', null],
      ['n_outer_deep', 'n_outer'],
      ['n_outer_deep_a', 'n_outer_deep'],
    ]);
    expect(arrows.map(({ from, to, inside }) => [from, to, inside])).toEqual([
      [null, 'n_outer_deep_a', 'n_outer_deep'],
      [null, 'n_outer_deep', 'n_outer'],
      [null, 'n_outer', null],
    ]);
  });

  test('is parsed as it was drawn, with any names and expressions', () => {
    fc.assert(
      fc.property(hostileDefinition(), (definition) => {
        const { states, arrows } = parsePlantUml(toPlantUml(definition));
        const diagram = toDiagram(definition, NO_MARKS);
        expect([...states].map(([key, { text, isJoin }]) => `${key} ${isJoin ? 'all' : text.trim()}`).sort()).toEqual(
          allShapes(diagram)
            .map(({ key, lines }) => `${key} ${displayedText(lines.join('\n'))}`)
            .sort(),
        );
        expect(arrows.map(({ label }) => label.trim()).sort()).toEqual(allLabels(diagram).sort());
      }),
      { numRuns: repetitions(300) },
    );
  });
});

/** Returns all shapes except the points where graphs begin and end. */
function allShapes({ shapes }: Diagram): readonly DiagramShape[] {
  return shapes
    .filter(({ kind }) => kind !== 'start' && kind !== 'end')
    .flatMap((shape) => (shape.inner ? [shape, ...allShapes(shape.inner)] : [shape]));
}

function allLabels({ shapes, arrows }: Diagram): string[] {
  return [
    ...arrows.map(({ label }) => displayedText(label ?? '')),
    ...shapes.flatMap(({ inner }) => (inner ? allLabels(inner) : [])),
  ];
}

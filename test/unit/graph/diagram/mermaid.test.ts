import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_MARKS } from '../../../../src/graph/diagram/diagram.ts';
import type { Diagram, DiagramShape } from '../../../../src/graph/diagram/diagram.ts';
import { toMermaid } from '../../../../src/graph/diagram/write-diagram.ts';
import { toDiagram } from '../../../../src/graph/diagram/to-diagram.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { hostileDefinition } from '../../../support/builders/hostile-definitions.ts';
import { repetitions } from '../../../support/builders/repetitions.ts';
import { parseMermaid } from '../../../support/readers/mermaid.ts';
import { displayedText } from '../../../support/readers/displayed-text.ts';

const NODES = { a: { type: 'set' }, b: { type: 'set' }, c: { type: 'set' } } as const;

describe('toMermaid', () => {
  test('writes a flowchart', () => {
    const branches = [{ when: 'state.n > 1', to: 'b' }, { to: '__end__' }];
    const edges = [
      { from: '__start__', to: 'a' },
      { from: 'a', branches },
    ];
    expect(toMermaid(aDefinition({ nodes: { a: { type: 'set' }, b: { type: 'tool', tool: 'charge' } }, edges })))
      .toBe(`flowchart TD
  begin(["start"])
  finish(["end"])
  n_a["a<br/>set"]
  n_b[/"b<br/>tool#58; charge"/]
  begin --> n_a
  n_a -->|"state.n #62; 1"| n_b
  n_a -->|"default"| finish
`);
  });

  test('draws a node named "end" as a node', async () => {
    const { shapes, arrows } = await parseMermaid(toMermaid(aDefinition({ nodes: { end: { type: 'set' } } })));
    expect(shapes.get('n_end')).toBe('end\nset');
    expect(arrows).toEqual([expect.objectContaining({ from: 'begin', to: 'n_end' })]);
  });

  test('draws the graphs that an agent has as tools inside it', async () => {
    const tools = [{ graph: 'refund' }];
    const nodes = { a: { type: 'agent', prompt: 'x', tools }, b: { type: 'set' } } as const;
    const edges = [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'b' },
    ];
    const drawn = await parseMermaid(toMermaid(aDefinition({ nodes, edges })));
    expect([...drawn.subgraphs.keys()]).toEqual(['n_a']);
    expect(drawn.shapes.get('n_a_refund')).toBe('refund\nsubgraph: refund');
    expect(drawn.arrows.map(({ from, to }) => [from, to])).toEqual([
      ['begin', 'n_a'],
      ['n_a', 'n_b'],
    ]);
  });

  test('marks visited and current nodes', async () => {
    const text = toMermaid(aDefinition({ nodes: NODES }), { visited: ['a', 'b'], current: ['b'] });
    expect([...(await parseMermaid(text)).classes]).toEqual([
      ['n_a', ['visited']],
      ['n_b', ['current']],
    ]);
  });

  test('distinguishes unconditional arrows, arrows for each element, and transitions without an edge', async () => {
    const definition = aDefinition({
      nodes: { ...NODES, a: { type: 'set', onError: { to: 'c' } } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', forEach: 'state.log', to: 'b' },
      ],
    });
    const { arrows } = await parseMermaid(toMermaid(definition));
    expect(arrows.map(({ to, stroke, label }) => [to, stroke, label])).toEqual([
      ['n_a', 'normal', ''],
      ['n_b', 'thick', 'for each of state.log'],
      ['n_c', 'dotted', 'on error'],
    ]);
  });

  test('draws the graph of an inline subgraph inside it', async () => {
    const graph = aDefinition({ nodes: { deep: { type: 'subgraph', graph: aDefinition() } } });
    const text = toMermaid(aDefinition({ nodes: { outer: { type: 'subgraph', graph } } }), {
      visited: ['outer/deep/a'],
      current: [],
    });
    const { subgraphs, shapes, classes } = await parseMermaid(text);
    expect([...subgraphs.keys()].sort()).toEqual(['n_outer', 'n_outer_deep']);
    expect(shapes.get('n_outer_deep_a')).toBe('a\nset');
    expect(classes.get('n_outer_deep_a')).toEqual(['visited']);
  });

  test('is parsed by Mermaid as it was drawn, with any names and expressions', async () => {
    await fc.assert(
      fc.asyncProperty(hostileDefinition(), async (definition) => {
        const diagram = toDiagram(definition, NO_MARKS);
        const parsed = await parseMermaid(toMermaid(definition));
        const shapes = allShapes(diagram);
        expect(sorted(parsed.shapes)).toEqual(sorted(texts(shapes.filter(({ inner }) => !inner))));
        expect(sorted(parsed.subgraphs)).toEqual(sorted(texts(shapes.filter(({ inner }) => inner))));
        expect(parsed.arrows.map(({ from, to, label }) => `${from} ${to} ${label.trim()}`).sort()).toEqual(
          allArrows(diagram).sort(),
        );
      }),
      { numRuns: repetitions(150) },
    );
  }, 60_000);
});

function allShapes({ shapes }: Diagram): readonly DiagramShape[] {
  return shapes.flatMap((shape) => (shape.inner ? [shape, ...allShapes(shape.inner)] : [shape]));
}

function allArrows({ shapes, arrows }: Diagram): string[] {
  return [
    ...arrows.map(({ from, to, label }) => `${from} ${to} ${displayedText(label ?? '')}`),
    ...shapes.flatMap(({ inner }) => (inner ? allArrows(inner) : [])),
  ];
}

function texts(shapes: readonly DiagramShape[]): ReadonlyMap<string, string> {
  return new Map(shapes.map(({ key, lines }) => [key, displayedText(lines.join('\n'))]));
}

function sorted(byKey: ReadonlyMap<string, string>): string[] {
  return [...byKey].map(([key, text]) => `${key} ${text.trim()}`).sort();
}

import { expect, test } from 'vitest';
import { compileGraph, findNode } from '../../../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const thinking = (tools: readonly { readonly graph: string }[] = []): GraphDefinition =>
  aDefinition({ nodes: { think: { type: 'agent', prompt: 'Think', tools } } });

test('findNode finds nodes in a graph, in a subgraph, and in a graph that an agent calls', () => {
  const definition = aDefinition({
    nodes: {
      outer: { type: 'subgraph', graph: thinking() },
      boss: { type: 'agent', prompt: 'Ask', tools: [{ graph: 'helper@1' }] },
    },
  });
  const graph = compileGraph(definition, aCatalog({ graphs: { 'helper@1': thinking() } }));
  const typeAt = (node: string, ...path: readonly string[]) => findNode(graph, { node, path })?.type ?? null;
  expect(typeAt('outer')).toBe('subgraph');
  expect(typeAt('think', 'outer')).toBe('agent');
  expect(typeAt('helper', 'boss')).toBe('subgraph');
  expect(typeAt('think', 'boss', 'helper')).toBe('agent');
  expect([typeAt('think'), typeAt('think', 'nowhere'), typeAt('think', 'boss')]).toEqual([null, null, null]);
});

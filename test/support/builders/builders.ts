import { CEILINGS } from '../../../src/graph/definition/limits.ts';
import { DEFAULTS } from '../../../src/graph/definition/catalog.ts';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';

/** A catalog with a tool of each effect, a model and a function. */
export function aCatalog(over: Partial<Catalog> = {}): Catalog {
  const parameters = { type: 'object', properties: { key: { type: 'string' }, value: {} }, required: ['key'] } as const;
  return {
    models: { default: { price: { input: 1, output: 2 } }, spare: {} },
    tools: {
      lookup: { description: 'Look up', parameters, effect: 'idempotent' },
      charge: { description: 'Charge', parameters, effect: 'keyed' },
      notify: { description: 'Notify', parameters, effect: 'unsafe' },
    },
    functions: { double: { effect: 'idempotent' } },
    defaults: DEFAULTS,
    ceilings: CEILINGS,
    ...over,
  };
}

/** Builds a definition. Without edges its nodes form a chain in the given order. */
export function aDefinition(over: Partial<GraphDefinition> = {}): GraphDefinition {
  const nodes = over.nodes ?? { a: { type: 'set', write: { log: 'a' } } };
  return { name: 'test', channels: { log: { reducer: 'append' } }, edges: chainOf(Object.keys(nodes)), ...over, nodes };
}

export function chainOf(ids: readonly string[]): { from: string; to: string }[] {
  return ids.map((to, at) => ({ from: ids[at - 1] ?? '__start__', to }));
}

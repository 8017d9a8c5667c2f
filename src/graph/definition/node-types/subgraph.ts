import type { DescriptionOf } from './node-description.ts';

export const subgraph: DescriptionOf<'subgraph'> = {
  summary: "Runs another graph, by name or written here. Its result is that graph's output.",
  templates: ['input'],
  graph: { definition: 'graph', input: 'input' },
  mayWait: true,
  hasOwnDeadline: true,
  editorSchemas: { graph: { anyOf: [{ type: 'string' }, { $ref: '#' }] } },
  look: { outline: 'doubleSided', fill: 'FFFFFF', subject: ['graph', 'graph/name'] },
};

import type { Json } from '../../values/json.ts';
import type { CommonFields } from '../common-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export interface SubgraphFields<Graph> extends CommonFields {
  /** `"name"`, `"name@3"`, or the definition itself. */
  readonly graph: string | Graph;
  /** Templates for the input channels of the graph inside. */
  readonly input?: Readonly<Record<string, Json>>;
}

export const subgraph: DescriptionOf<SubgraphFields<unknown>> = {
  summary: "Runs another graph, by name or written here. Its result is that graph's output.",
  templates: ['input'],
  graph: { definition: 'graph', input: 'input' },
  hasOwnDeadline: true,
  editorSchemas: { graph: { anyOf: [{ type: 'string' }, { $ref: '#' }] } },
  look: { outline: 'doubleSided', fill: 'FFFFFF', subject: ['graph', 'graph/name'] },
};

import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { aCatalog } from './builders.ts';

/** Returns codes and paths of the errors in a graph with one node, `a`. */
export function issuesOfNode(node: object): readonly string[] {
  const definition = toJson({ name: 'test', nodes: { a: node }, edges: [{ from: '__start__', to: 'a' }] });
  return validateGraph(definition, aCatalog())
    .filter(({ severity }) => severity === 'error')
    .map(({ code, path }) => `${code} ${path}`);
}

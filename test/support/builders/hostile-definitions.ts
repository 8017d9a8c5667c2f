import * as fc from 'fast-check';
import type { EdgeDefinition, GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';

/** Texts with a special meaning in a diagram's language, in HTML, or for a lexer. */
const HOSTILE = [
  'end',
  'subgraph',
  'graph',
  'default',
  'class a b',
  'style x fill:#f00;',
  'classDef a fill:#f00;',
  'click n_a "javascript:alert(1)"',
  '"',
  '`x`',
  '"`**bold**`"',
  '#quot;',
  '#35;',
  '&quot;',
  '&#34;',
  '<b>bold</b>',
  '<br/>',
  '<script>',
  '%%{init: {}}%%',
  '%% comment',
  '---',
  '-->',
  '--> n_a',
  '|x|',
  '[x]',
  '{x}',
  '(((x)))',
  '1. one',
  '- one',
  '# title',
  'a\nb',
  'a\r\nend\n',
  '\\n',
  '\\',
  '@startuml',
  '@enduml',
  '!include x',
  "' comment",
  "/' comment '/",
  '<U+0041>',
  '**a** //b// __c__ --d-- ~~e~~ [[f]] $g',
  '==',
  ': x',
  '{{ state.a }}',
  "state.kind == 'l' && state.n < 3 || !(state.b >= 2)",
  'ﬂ°quot¶ß',
  'ﬂ°°34¶ß',
  '日本語 🙂 é',
  '\u0000\u001b\u007f',
  '\ud800',
  '',
  ' ',
  '__proto__',
  'constructor',
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const nodeId = fc.oneof(
  hostileText.filter((text) => !['__start__', '__end__'].includes(text)),
  fc.constantFrom('a', 'b', 'a-b', 'a_b', 'o', 'x'),
);

/** Graphs that may be invalid. Their diagrams must still be readable. */
export const hostileDefinition = (depth = 2): fc.Arbitrary<GraphDefinition> =>
  fc.uniqueArray(nodeId, { minLength: 1, maxLength: 5 }).chain((ids) =>
    fc
      .tuple(fc.tuple(...ids.map(() => anyNode(ids, depth))), fc.array(anyEdge(ids), { maxLength: 6 }))
      .map(([nodes, edges]) => ({
        name: 'hostile',
        nodes: Object.fromEntries(ids.map((id, index) => [id, nodes[index] ?? { type: 'set' }])),
        edges: [{ from: '__start__', to: ids[0] ?? '__end__' }, ...edges],
      })),
  );

function anyNode(ids: readonly string[], depth: number): fc.Arbitrary<NodeDefinition> {
  const id = fc.constantFrom(...ids);
  const leaf = fc.oneof(
    fc.record({ type: fc.constant('tool' as const), tool: hostileText }),
    fc.record({ type: fc.constant('set' as const), defer: fc.boolean() }),
    fc.record({
      type: fc.constant('function' as const),
      function: hostileText,
      mayGoto: fc.array(id, { maxLength: 2 }),
    }),
    fc.record({ type: fc.constant('approval' as const), title: hostileText, onError: fc.record({ to: id }) }),
    fc.record({ type: fc.constant('wait' as const), event: hostileText }),
    fc.record({ type: fc.constant('subgraph' as const), graph: hostileText }),
  );
  if (depth === 0) return leaf;
  const subgraph = fc.record({ type: fc.constant('subgraph' as const), graph: hostileDefinition(depth - 1) });
  return fc.oneof({ arbitrary: leaf, weight: 5 }, { arbitrary: subgraph, weight: 1 });
}

function anyEdge(ids: readonly string[]): fc.Arbitrary<EdgeDefinition> {
  const id = fc.constantFrom(...ids);
  const target = fc.oneof(id, fc.constant('__end__'), fc.array(id, { minLength: 1, maxLength: 2 }));
  const from = fc.oneof(id, fc.uniqueArray(id, { minLength: 1, maxLength: 3 }));
  const branch = fc.oneof(fc.record({ when: hostileText, to: target }), fc.record({ to: target }));
  return fc.oneof(
    fc.record({ from, to: target }),
    fc.record({ from, branches: fc.array(branch, { minLength: 1, maxLength: 3 }) }),
    fc.record({ from, route: hostileText, paths: fc.dictionary(hostileText, target, { maxKeys: 3 }), default: target }),
    fc.record({ from, forEach: hostileText, to: id, maxConcurrency: fc.integer({ min: 1, max: 9 }) }),
  );
}

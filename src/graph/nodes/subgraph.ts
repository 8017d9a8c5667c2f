import type { NodeOfType } from '../definition/definition.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { parseMembers } from '../expression/template.ts';
import { freshScope } from '../run/fresh-scope.ts';
import { hasBegun } from '../run/scope-place.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { NodeBehavior } from './behavior.ts';
import { deadlineExceeded } from './node-deadline.ts';
import type { NodeSettings } from './node-settings.ts';

/**
 * Compiles a `subgraph` node. The graph inside starts anew on each visit, and its output is the result. A retry fills the
 * input again, if no node inside has run. A graph that runs as a tool call keeps its input, which are the arguments.
 * @throws TypeError when the settings hold no compiled graph
 */
export function compileSubgraph(node: NodeOfType<'subgraph'>, { subgraph }: NodeSettings): NodeBehavior {
  if (!subgraph) throw new TypeError('A subgraph node is compiled with the graph inside');
  const fillInput = parseMembers(node.input ?? {}, NODE_NAMES, (channel) => `input.${channel}`);
  const fillsInput = Object.keys(node.input ?? {}).length > 0;
  const start: NodeBehavior['start'] = ({ bindings }) => ({
    kind: 'open',
    position: { kind: 'subgraph', scope: freshScope(subgraph), input: fillInput(bindings) },
  });
  return {
    start,
    restart(task, position) {
      const isFresh = position.kind === 'subgraph' && !hasBegun(position.scope);
      return fillsInput && isFresh ? start(task) : { kind: 'open', position };
    },
    resume(_task, position, input) {
      if (input.kind === 'subgraph.finished') return done(input.output);
      if (input.kind === 'subgraph.failed') return failed({ callFailed: false, error: input.error });
      if (input.kind === 'timer' && position.kind === 'subgraph') return deadlineExceeded(node);
      throw unexpected(position);
    },
  };
}

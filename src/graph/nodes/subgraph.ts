import type { NodeOfType } from '../definition/definition.ts';
import { freshScope } from '../run/fresh-scope.ts';
import { parseMembers } from '../expression/template.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import type { NodeSettings } from './node-settings.ts';
import { deadlineExceeded } from './node-deadline.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { NodeBehavior } from './behavior.ts';

/** A graph inside a graph: it begins anew on each visit, and its output is the node's result. */
export function compileSubgraph(node: NodeOfType<'subgraph'>, { subgraph: child }: NodeSettings): NodeBehavior {
  if (!child) throw new TypeError('A subgraph node is compiled with the graph inside');
  const input = parseMembers(node.input ?? {}, NODE_NAMES, (channel) => `input.${channel}`);
  return {
    start(task) {
      return { kind: 'open', position: { kind: 'subgraph', scope: freshScope(child), input: input(task.bindings) } };
    },
    resume(_task, position, happening) {
      if (happening.kind === 'subgraph.finished') return done(happening.output);
      if (happening.kind === 'subgraph.failed') return failed({ callFailed: false, error: happening.error });
      if (happening.kind === 'timer' && position.kind === 'subgraph') return deadlineExceeded(node);
      throw unexpected(position);
    },
  };
}

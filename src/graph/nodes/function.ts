import type { NodeOfType } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import { afterCodeCall } from './command.ts';
import { field, policyOf } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import type { NodeBehavior } from './behavior.ts';

/** One call of a function that is registered on the worker; what it returns is the node's result. */
export function compileFunction(node: NodeOfType<'function'>, scope: NodeSettings): NodeBehavior {
  const args = field('args', node.args, {});
  const registered = own(scope.catalog.functions, node.function) ?? { effect: 'idempotent' };
  const request = {
    kind: 'function',
    function: node.function,
    effect: registered.effect,
    policy: policyOf(node, registered, scope),
  } as const;
  return {
    start: (task) => ({
      kind: 'open',
      position: { kind: 'call', key: task.call(0, { ...request, args: args.fill(task.bindings) }) },
    }),
    resume: afterCodeCall(node.mayGoto ?? []),
  };
}

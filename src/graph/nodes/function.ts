import type { NodeOfType } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import type { NodeBehavior } from './behavior.ts';
import { field, policyOf } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { resumeCodeCall } from './resume-code-call.ts';

/** Compiles a `function` node: one call of a function registered on the worker. Its return value is the result. */
export function compileFunction(node: NodeOfType<'function'>, settings: NodeSettings): NodeBehavior {
  const args = field('args', node.args, {});
  const registered = own(settings.catalog.functions, node.function) ?? { effect: 'idempotent' };
  const request = {
    kind: 'function',
    function: node.function,
    effect: registered.effect,
    ...(node.execution && { execution: node.execution }),
    policy: policyOf(node, registered, settings),
  } as const;
  return {
    start(task) {
      const filled = args.fill(task.bindings);
      const key = task.call(0, { ...request, args: filled });
      return { kind: 'open', position: { kind: 'call', key, args: filled } };
    },
    resume: resumeCodeCall(node.mayGoto ?? []),
  };
}

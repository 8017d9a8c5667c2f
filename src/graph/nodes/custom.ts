import type { CallSettings } from '../definition/call-policy.ts';
import { own, isJsonList } from '../values/json.ts';
import type { JsonObject, Json } from '../values/json.ts';
import { parseMembers } from '../expression/template.ts';
import { afterCodeCall } from './command.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { policyOf } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import type { NodeBehavior } from './behavior.ts';
import { ownFields } from '../definition/custom-fields.ts';

/** A node of a type that is registered by code: one call of that code. */
export function compileCustom(
  node: CallSettings & { readonly type: string },
  fields: JsonObject,
  scope: NodeSettings,
): NodeBehavior {
  const registered = own(scope.catalog.nodeTypes ?? {}, node.type);
  if (!registered) throw new TypeError(`There is no node type "${node.type}"`);
  const config = parseMembers(ownFields(fields), NODE_NAMES, (name) => name);
  const { effect } = registered;
  const request = { kind: 'node', nodeType: node.type, effect, policy: policyOf(node, registered, scope) } as const;
  return {
    start(task) {
      const { state = null, run = null } = task.bindings;
      return {
        kind: 'open',
        position: { kind: 'call', key: task.call(0, { ...request, config: config(task.bindings), state, run }) },
      };
    },
    resume: afterCodeCall(namesIn(fields['mayGoto'])),
  };
}

function namesIn(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((name) => typeof name === 'string') : [];
}

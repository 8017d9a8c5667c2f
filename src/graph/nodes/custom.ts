import type { CallSettings } from '../definition/call-policy.ts';
import { ownFields } from '../definition/node-types/custom.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import { parseMembers } from '../expression/template.ts';
import { isJsonList, own } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { NodeBehavior } from './behavior.ts';
import { policyOf } from './node-settings.ts';
import type { ExecutionField, NodeSettings } from './node-settings.ts';
import { resumeCodeCall } from './resume-code-call.ts';

/**
 * Compiles a node of a type that code registers: one call of that code.
 * @throws TypeError when the catalog has no such type
 */
export function compileCustom(
  node: CallSettings & ExecutionField & { readonly type: string },
  fields: JsonObject,
  settings: NodeSettings,
): NodeBehavior {
  const registered = own(settings.catalog.nodeTypes ?? {}, node.type);
  if (!registered) throw new TypeError(`There is no node type "${node.type}"`);
  const config = parseMembers(ownFields(fields), NODE_NAMES, (name) => name);
  const { effect } = registered;
  const policy = policyOf(node, registered, settings);
  const { execution } = node;
  const request = { kind: 'node', nodeType: node.type, effect, ...(execution && { execution }), policy } as const;
  return {
    start(task) {
      const { state = null, run = null } = task.bindings;
      const filled = config(task.bindings);
      const key = task.call(0, { ...request, config: filled, state, run });
      return { kind: 'open', position: { kind: 'call', key, args: filled } };
    },
    resume: resumeCodeCall(namesIn(fields['mayGoto'])),
  };
}

function namesIn(value: Json | undefined): readonly string[] {
  return isJsonList(value) ? value.filter((name) => typeof name === 'string') : [];
}

import type { CallSettings } from '../call-policy.ts';
import { isJsonList, own } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { parseMembers } from '../template.ts';
import { afterCodeCall } from './command.ts';
import { NODE_NAMES, policyOf } from './node-scope.ts';
import type { NodeScope } from './node-scope.ts';
import type { NodeRunner } from './runner.ts';

/** The fields that a node of any type may have; all others of a custom node are its own. */
const COMMON: ReadonlySet<string> = new Set([
  'type',
  'description',
  'write',
  'retry',
  'timeout',
  'deadline',
  'onError',
  'maxVisits',
  'defer',
  'mayGoto',
]);

/** The fields of a custom node that its type has made up. */
export function ownFields(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !COMMON.has(name)));
}

/** A node of a type that is registered by code: one call of that code. */
export function compileCustom(
  node: CallSettings & { readonly type: string },
  fields: JsonObject,
  scope: NodeScope,
): NodeRunner {
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

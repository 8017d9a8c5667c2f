import type { NodeOfType } from '../definition/definition.ts';
import type { NodeType } from '../definition/node-types/node-types.ts';
import { toJsonObject } from '../values/json.ts';
import type { NodeBehavior } from './behavior.ts';
import { compileCustom } from './custom.ts';
import type { NodeSettings } from './node-settings.ts';
import { NODE_COMPILERS } from './node-compilers.ts';

/** Makes the behavior of a node by its type. A type that is not in the language is registered by code. */
export function compileBehavior<T extends NodeType>(node: NodeOfType<T>, settings: NodeSettings): NodeBehavior {
  if (!Object.hasOwn(NODE_COMPILERS, node.type)) return compileCustom(node, toJsonObject(node), settings);
  return NODE_COMPILERS[node.type](node, settings);
}

import { toPointer } from '../values/json-pointer.ts';
import { isJsonObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { namesInFields } from './names-at.ts';
import type { Named } from './names-at.ts';
import { fieldsOfKind } from './node-types/describe-node.ts';

/** A node's fields, and the JSON Pointer of the node. */
export interface PlacedFields {
  readonly fields: JsonObject;
  readonly path: string;
}

/** Returns the channels that a node writes, or uses as its conversation. */
export function writesOf(node: PlacedFields): readonly Named[] {
  const { fields, path } = node;
  const { write, onError } = fields;
  return [
    ...(typeof write === 'string' ? [{ name: write, path: `${path}/write` }] : keysAt(write, `${path}/write`)),
    ...(isJsonObject(onError) ? keysAt(onError['write'], `${path}/onError/write`) : []),
    ...namesInFields(node, fieldsOfKind('conversations')),
  ];
}

function keysAt(value: unknown, path: string): readonly Named[] {
  return isJsonObject(value) ? Object.keys(value).map((name) => ({ name, path: path + toPointer([name]) })) : [];
}

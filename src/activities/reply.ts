import type { CallReply } from '../graph/effect.ts';
import { isJsonObject } from '../graph/json.ts';

/** True for what `performCall` has recorded as a reply. */
export function isCallReply(value: unknown): value is CallReply {
  if (!isJsonObject(value)) return false;
  return value['kind'] === 'value'
    ? value['value'] !== undefined
    : value['kind'] === 'model' && typeof value['text'] === 'string';
}

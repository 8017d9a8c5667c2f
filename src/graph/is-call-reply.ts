import type { CallReply } from './effect.ts';
import { isJsonObject } from './json.ts';

/** True for what the ledger has recorded as a reply. */
export function isCallReply(value: unknown): value is CallReply {
  if (!isJsonObject(value)) return false;
  return value['kind'] === 'value'
    ? value['value'] !== undefined
    : value['kind'] === 'model' && typeof value['text'] === 'string';
}

import type { CallReply } from './effect.ts';
import { isJsonObject } from './json.ts';

/** True for what the ledger has recorded as a reply. */
export function isCallReply(value: unknown): value is CallReply {
  if (!isJsonObject(value)) return false;
  switch (value['kind']) {
    case 'value':
      return value['value'] !== undefined;
    case 'model':
      return typeof value['text'] === 'string';
    default:
      return value['kind'] === 'overflow' && typeof value['messages'] === 'number';
  }
}

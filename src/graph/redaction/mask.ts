import { mapValues } from '../values/collections.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';

/** What stands in the place of a hidden value. */
export const REDACTED = '[redacted]';

/** The hidden parts of a filled field: all of it, with the words that may be shown, or some members or items. */
export type Mask = string | { readonly in: 'object' | 'list'; readonly parts: Readonly<Record<string, Mask>> };

/** Hides the masked parts of a value. A value that has not the form of the mask is hidden as a whole. */
export function hideMasked(value: Json, mask: Mask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, () => REDACTED);
}

/** As `hideMasked`, but keeps the words that a definition has around the hidden values of a text. */
export function hideInWords(value: Json, mask: Mask | undefined): Json {
  return mask === undefined ? value : applyMask(value, mask, (words) => words);
}

function applyMask(value: Json, mask: Mask, shown: (words: string) => string): Json {
  if (typeof mask === 'string') return shown(mask);
  const { parts } = mask;
  const hide = (part: Json, key: string): Json => {
    const inner = own(parts, key);
    return inner === undefined ? part : applyMask(part, inner, shown);
  };
  if (mask.in === 'list') return isJsonList(value) ? value.map((item, index) => hide(item, String(index))) : REDACTED;
  return isJsonObject(value) ? mapValues(value, hide) : REDACTED;
}

/** Puts the real parts in the place of `[redacted]`, where a person has sent back what was shown. */
export function restoreMasked(given: Json, real: Json, mask: Mask): Json {
  if (typeof mask === 'string') return given === REDACTED ? real : given;
  const { parts } = mask;
  const restore = (part: Json, key: string, was: Json | undefined): Json => {
    const inner = own(parts, key);
    return inner === undefined || was === undefined ? part : restoreMasked(part, was, inner);
  };
  if (isJsonList(given) && isJsonList(real)) return given.map((item, at) => restore(item, String(at), real[at]));
  if (!isJsonObject(given) || !isJsonObject(real)) return given === REDACTED ? real : given;
  return mapValues(given, (member, key) => restore(member, key, own(real, key)));
}

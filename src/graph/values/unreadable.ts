import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

const KEY = '$unreadable';

/** Stands in the place of a value that can't be read. @param reason why, as the end of a sentence */
export function unreadable(reason: string): JsonObject {
  return { [KEY]: reason };
}

/** Why a value can't be read; `null`: it is one. */
export function whyUnreadable(value: Json): string | null {
  const reason = isJsonObject(value) ? value[KEY] : undefined;
  return typeof reason === 'string' ? reason : null;
}

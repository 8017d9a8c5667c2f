import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

const KEY = '$unreadable';

/** Returns the placeholder of a value that can't be read. @param reason the end of a sentence */
export function unreadable(reason: string): JsonObject {
  return { [KEY]: reason };
}

/** Returns the reason why a value can't be read; `null` if the value is not a placeholder. */
export function whyUnreadable(value: Json): string | null {
  const reason = isJsonObject(value) ? value[KEY] : undefined;
  return typeof reason === 'string' ? reason : null;
}

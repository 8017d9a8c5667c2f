import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

const UNREADABLE_KEY = '$unreadable';

/** Returns the placeholder of a value that can't be read. @param reason the end of a sentence */
export function unreadablePlaceholder(reason: string): JsonObject {
  return { [UNREADABLE_KEY]: reason };
}

/** Returns the reason why a value can't be read; `null` if the value is not a placeholder. */
export function whyUnreadable(value: Json): string | null {
  const reason = isJsonObject(value) ? value[UNREADABLE_KEY] : undefined;
  return typeof reason === 'string' ? reason : null;
}

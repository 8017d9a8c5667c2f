import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { abbreviate } from './text.ts';

/** Writes at most `maxLength` characters of a value's JSON. The rest of the value is not read. */
export function shortJson(value: Json, maxLength: number): string {
  let text = '';
  for (const piece of piecesOf(value, maxLength)) {
    text += piece;
    if (text.length > maxLength) break;
  }
  return abbreviate(text, maxLength);
}

/** @param maxLength of a text in the value; with its quotes, a longer text exceeds the limit, so it is cut again */
function* piecesOf(value: Json, maxLength: number): Generator<string, void> {
  if (isJsonList(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOf(item, maxLength);
    }
    yield ']';
  } else if (isJsonObject(value)) {
    yield '{';
    let isFirst = true;
    for (const key in value) {
      yield `${isFirst ? '' : ','}${quoteText(key, maxLength)}:`;
      yield* piecesOf(value[key] ?? null, maxLength);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? quoteText(value, maxLength) : String(value);
}

function quoteText(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength));
}

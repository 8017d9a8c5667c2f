import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { abbreviate } from './text.ts';

/** Writes a value as JSON up to so many characters; what is behind is not looked at. */
export function shortJson(value: Json, maxLength: number): string {
  let text = '';
  for (const piece of piecesOf(value, maxLength)) {
    text += piece;
    if (text.length > maxLength) break;
  }
  return abbreviate(text, maxLength);
}

/** @param maxLength of a text in it; the quotes around it make a longer one too long, so that it is cut again */
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
      yield `${isFirst ? '' : ','}${quoted(key, maxLength)}:`;
      yield* piecesOf(value[key] ?? null, maxLength);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? quoted(value, maxLength) : String(value);
}

function quoted(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength));
}

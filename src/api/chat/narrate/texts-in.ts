import type { RunEvent } from '../../../graph/journal/index.ts';
import { isContent, textOf } from '../../../graph/definition/index.ts';
import { isJsonList, isJsonObject, own } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

/** What a node has written when its task is over. */
export type Written = Extract<RunEvent, { readonly type: 'node.completed' | 'node.skipped' }>;

/** Returns the texts that a node of the run's own graph has written as answers, in their order. */
export function textsIn({ update, path }: Written, answer: string | null): readonly string[] {
  if (path !== undefined || answer === null) return [];
  return textsOf(own(update, answer) ?? null);
}

/** The texts of messages of an assistant, or of a text. */
function textsOf(value: Json): readonly string[] {
  if (isJsonList(value)) return value.flatMap(textsOf);
  const text = isJsonObject(value) && value['role'] === 'assistant' ? textIn(value['content'] ?? null) : value;
  return typeof text === 'string' && text !== '' ? [text] : [];
}

function textIn(content: Json): Json {
  return isContent(content) ? textOf(content) : content;
}

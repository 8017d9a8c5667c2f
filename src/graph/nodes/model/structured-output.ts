import type { JsonSchema } from '../../definition.ts';
import { toJson } from '../../json.ts';
import type { Json } from '../../json.ts';
import { compileJsonSchema } from '../../json-schema.ts';

/** Reads the object out of a model's text, or says what is wrong with it in words the model can act on. */
export type OutputReader = (text: string) => { readonly value: Json } | { readonly problem: string };

export function compileOutput(schema: JsonSchema): OutputReader {
  const check = compileJsonSchema(schema);
  return (text) => {
    const value = parseLoosely(text);
    if (value === undefined) return { problem: 'it holds no JSON' };
    const [first] = check(value);
    return first ? { problem: `${first.path || '/'}: ${first.message}` } : { value };
  };
}

/** Models wrap JSON in code fences or a sentence; nothing else is tolerated. */
function parseLoosely(text: string): Json | undefined {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return [text, fenced, start < 0 ? undefined : text.slice(start, end + 1)]
    .map(parse)
    .find((value) => value !== undefined);
}

function parse(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

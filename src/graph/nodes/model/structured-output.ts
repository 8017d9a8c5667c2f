import type { JsonSchema } from '../../definition.ts';
import { toJson } from '../../json.ts';
import type { Json } from '../../json.ts';
import { compileJsonSchema } from '../../json-schema.ts';

/** Reads the object out of a model's text, or says what is wrong with it in words the model can act on. */
export type OutputReader = (text: string) => { readonly value: Json } | { readonly problem: string };

/** @param version of the interpreter */
export function compileOutput(schema: JsonSchema, version: number): OutputReader {
  const check = compileJsonSchema(schema);
  const isFitting = (value: Json): boolean => check(value).length === 0;
  return (text) => {
    const found = version < 4 ? jsonIn(text, anyBrackets(text)).slice(0, 1) : jsonIn(text, ...eachBrackets(text));
    const value = found[Math.max(0, found.findIndex(isFitting))];
    if (value === undefined) return { problem: 'it holds no JSON' };
    const [first] = check(value);
    return first ? { problem: `${first.path || '/'}: ${first.message}` } : { value };
  };
}

/** Models wrap JSON in code fences or sentences; nothing else is tolerated. */
function jsonIn(text: string, ...bracketed: readonly string[]): readonly Json[] {
  const fenced = /```(?:json)?([^]*?)```/.exec(text)?.[1] ?? '';
  return [text, fenced, ...bracketed].map(parse).filter((value) => value !== undefined);
}

/** From the first bracket of any kind to the last one. */
function anyBrackets(text: string): string {
  const start = text.search(/[[{]/);
  return start < 0 ? '' : text.slice(start, Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1);
}

function eachBrackets(text: string): readonly string[] {
  return [between(text, '{', '}'), between(text, '[', ']')];
}

/** From where one stands first to where the other stands last. */
function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  return start < 0 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
}

function parse(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

import type { JsonSchema } from '../../values/json-schema.ts';
import { toJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';

/** Reads the object out of a model's text, or says what is wrong with it in words the model can act on. */
export type OutputReader = (text: string) => { readonly value: Json } | { readonly problem: string };

export function compileOutput(schema: JsonSchema): OutputReader {
  const check = compileJsonSchema(schema);
  const isFitting = (value: Json): boolean => check(value).length === 0;
  return (text) => {
    const found = jsonIn(text);
    const value = found[Math.max(0, found.findIndex(isFitting))];
    if (value === undefined) return { problem: 'it holds no JSON' };
    const [first] = check(value);
    return first ? { problem: `${first.path || '/'}: ${first.message}` } : { value };
  };
}

/** Models wrap JSON in code fences or sentences; nothing else is tolerated, and nothing is taken out of what is JSON. */
function jsonIn(text: string): readonly Json[] {
  const whole = allParsed([text]);
  if (whole.length > 0) return whole;
  const bracketed = text.search(/[[{]/) === text.indexOf('{') ? ['{}', '[]'] : ['[]', '{}'];
  const [outermost] = allParsed(bracketed.map(([open = '', close = '']) => between(text, open, close)));
  return [...allParsed([fencedIn(text)]), ...(outermost === undefined ? [] : [outermost])];
}

function fencedIn(text: string): string {
  return (/```(?:json)?([^]*?)```/.exec(text)?.[1] ?? '').trimStart();
}

/** From where one stands first to where the other stands last. */
function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  return start < 0 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
}

function allParsed(texts: readonly string[]): readonly Json[] {
  return texts.map(parse).filter((value) => value !== undefined);
}

function parse(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

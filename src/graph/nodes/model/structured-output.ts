import { compileJsonSchema } from '../../values/json-schema.ts';
import type { JsonSchema } from '../../values/json-schema.ts';
import { toJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/** Reads a JSON value from a model's text. A problem is worded for the model, which is to correct it. */
export type OutputReader = (text: string) => { readonly value: Json } | { readonly problem: string };

/** Compiles a reader of values that fit a schema. Of several values in a text, the first that fits counts. */
export function compileOutput(schema: JsonSchema): OutputReader {
  const check = compileJsonSchema(schema);
  const isValid = (value: Json): boolean => check(value).length === 0;
  return (text) => {
    const values = jsonIn(text);
    const value = values[Math.max(0, values.findIndex(isValid))];
    if (value === undefined) return { problem: 'it holds no JSON' };
    const [first] = check(value);
    return first ? { problem: `${first.path || '/'}: ${first.message}` } : { value };
  };
}

/** JSON values in a text: the text itself, else the content of a code fence and of the outermost brackets. */
function jsonIn(text: string): readonly Json[] {
  const whole = parseAll([text]);
  if (whole.length > 0) return whole;
  const brackets = text.search(/[[{]/) === text.indexOf('{') ? ['{}', '[]'] : ['[]', '{}'];
  const [outermost] = parseAll(brackets.map(([open = '', close = '']) => between(text, open, close)));
  return [...parseAll([fencedIn(text)]), ...(outermost === undefined ? [] : [outermost])];
}

function fencedIn(text: string): string {
  return (/```(?:json)?([^]*?)```/.exec(text)?.[1] ?? '').trimStart();
}

/** From the first `open` to the last `close`. */
function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  return start < 0 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
}

function parseAll(texts: readonly string[]): readonly Json[] {
  return texts.map(parseJson).filter((value) => value !== undefined);
}

function parseJson(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

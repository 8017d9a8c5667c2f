import type { Json } from '../../values/json.ts';
import { parseOutsideJson } from '../../values/parse-json.ts';

/**
 * Finds the JSON values in a model's answer, the most likely first: the whole text; else the contents of its code
 * fences and its objects and lists, the last ones first. Thoughts are left out, unless nothing else has a value.
 */
export function jsonInText(text: string): readonly Json[] {
  const whole = parseJsonOrNone(text);
  if (whole !== undefined) return [whole];
  const answer = textAfterThoughts(text);
  return answer === text ? jsonValuesIn(text) : [...jsonValuesIn(answer), ...jsonValuesIn(text)];
}

const THOUGHT = '(?:think|thinking|thought|thoughts|reasoning)';
const THOUGHTS = new RegExp(`<${THOUGHT}>`, 'i');
const END_OF_THOUGHTS = new RegExp(`</${THOUGHT}>`, 'gi');

/** Returns the text after the last thought. Some servers send only the end of the thoughts. */
function textAfterThoughts(text: string): string {
  const last = [...text.matchAll(END_OF_THOUGHTS)].at(-1);
  const answer = last ? text.slice(last.index + last[0].length) : text;
  const unended = answer.search(THOUGHTS);
  return unended < 0 ? answer : answer.slice(0, unended);
}

const FENCED = /```[\w-]*\s([^]*?)```/g;

function jsonValuesIn(text: string): readonly Json[] {
  const whole = parseJsonOrNone(text);
  if (whole !== undefined) return [whole];
  const fenced = [...text.matchAll(FENCED)].map(([, content = '']) => parseJsonOrNone(content));
  return [...fenced.toReversed(), ...outermostJsonIn(text).toReversed()].filter((value) => value !== undefined);
}

/** Bounds the search in texts full of brackets, in characters per character of the text. */
const MAX_ROUNDS = 50;

/** Parses the outermost objects and lists of a text; brackets of prose are passed over. */
function outermostJsonIn(text: string): readonly Json[] {
  const values: Json[] = [];
  let left = MAX_ROUNDS * text.length;
  let start = nextBracket(text, 0);
  while (start >= 0 && left > 0) {
    const end = endOfBrackets(text, start);
    left -= (end < 0 ? text.length : end) - start;
    const value = end < 0 ? undefined : parseJsonOrNone(text.slice(start, end));
    if (value !== undefined) values.push(value);
    start = nextBracket(text, value === undefined ? start + 1 : end);
  }
  return values;
}

function nextBracket(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/);
  return found < 0 ? -1 : from + found;
}

/** Returns the index after the bracket that closes the one at `start`, or -1. Brackets within strings do not count. */
function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isString = !isString;
    else if (isString) index += character === '\\' ? 1 : 0;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return -1;
}

function parseJsonOrNone(text: string): Json | undefined {
  try {
    return parseOutsideJson(text.trim(), () => true);
  } catch {
    return undefined;
  }
}

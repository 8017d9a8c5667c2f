import { draft2020 } from 'json-schema-library';
import { isJsonList, isJsonObject, membersIn, toItems, nameOfType } from '../json.ts';
import { deepEqual, canonicalJson } from '../compare-json.ts';
import type { Json } from '../json.ts';
import { priceOfText, spendUnits } from '../meter.ts';
import { compilePattern } from '../regular-expression.ts';
import { quoteSchema } from './keyword.ts';
import type { KeywordChecker, KeywordCompiler } from './keyword.ts';

type FormatParser = (given: never) => unknown;

/** In characters. The library scans each run of digits again from each of its digits. */
const MAX_DURATION = 100;

/** True if a text matches a format. An unknown format matches every text; an empty text matches every format. */
function isOfFormat(format: string, text: string): boolean {
  if (format === 'duration' && text.length > MAX_DURATION) return false;
  const check: FormatParser | undefined = Object.hasOwn(draft2020.formats, format)
    ? draft2020.formats[format]
    : undefined;
  return check === undefined || Reflect.apply(check, null, [{ ...STAND_IN, data: text }]) === undefined;
}

/** Replaces the schema that the library would pass to a format. */
const STAND_IN = { node: { schema: {}, createError: (): string => 'wrong' }, pointer: '', path: [] };

/** Keywords that check the value itself, without other schemas. */
export const VALUE_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  type: (content) => {
    const types = [...new Set(toItems(content))];
    const what = types.map(String).join(' or ');
    return (value, to) => {
      if (!types.some((type) => isOfType(value, type)))
        to.fail('type', `must be of type ${what}, not ${nameOfType(value)}`);
    };
  },
  enum: (content) => {
    const allowed = toItems(content);
    const message = `must be one of ${quoteSchema(allowed)}`;
    return (value, to) => {
      if (!allowed.some((one) => deepEqual(one, value))) to.fail('enum', message);
    };
  },
  const: (content) => {
    const message = `must be ${quoteSchema(content)}`;
    return (value, to) => {
      if (!deepEqual(content, value)) to.fail('const', message);
    };
  },

  minimum: checkNumbers('minimum', (value, limit) => value >= limit, 'must be at least'),
  maximum: checkNumbers('maximum', (value, limit) => value <= limit, 'must be at most'),
  exclusiveMinimum: checkNumbers('exclusiveMinimum', (value, limit) => value > limit, 'must be more than'),
  exclusiveMaximum: checkNumbers('exclusiveMaximum', (value, limit) => value < limit, 'must be less than'),
  multipleOf: checkNumbers('multipleOf', isMultiple, 'must be a multiple of'),

  minLength: checkTexts(
    'minLength',
    (text, limit) => countCodePoints(text) >= limit,
    'must have at least',
    'characters',
  ),
  maxLength: checkTexts(
    'maxLength',
    (text, limit) => countCodePoints(text) <= limit,
    'must have at most',
    'characters',
  ),
  pattern: (content) => {
    const pattern = compilePattern(typeof content === 'string' ? content : '');
    const message = `must match the pattern ${quoteSchema(content)}`;
    return (value, to) => {
      if (typeof value === 'string' && !pattern.matches(value)) to.fail('pattern', message);
    };
  },
  format: (content) => {
    const message = `must be of the format ${quoteSchema(content)}`;
    return (value, to) => {
      if (typeof value !== 'string' || typeof content !== 'string') return;
      spendUnits(4 * priceOfText(value));
      if (!isOfFormat(content, value)) to.fail('format', message);
    };
  },

  minItems: checkLists('minItems', (list, limit) => list.length >= limit, 'must have at least', 'items'),
  maxItems: checkLists('maxItems', (list, limit) => list.length <= limit, 'must have at most', 'items'),
  uniqueItems: (content) => (value, to) => {
    if (content !== true || !isJsonList(value)) return;
    if (new Set(value.map(canonicalJson)).size < value.length) to.fail('uniqueItems', 'must have no item twice');
  },

  minProperties: checkObjects('minProperties', (size, limit) => size >= limit, 'must have at least', 'members'),
  maxProperties: checkObjects('maxProperties', (size, limit) => size <= limit, 'must have at most', 'members'),
  required: (content) => {
    const names = toItems(content).filter((name) => typeof name === 'string');
    return (value, to) => {
      if (!isJsonObject(value)) return;
      spendUnits(names.length);
      for (const name of names) if (!Object.hasOwn(value, name)) to.fail('required', `${quoteSchema(name)} is missing`);
    };
  },
  dependentRequired: (content) => {
    const entries = membersIn(content);
    return (value, to) => {
      if (!isJsonObject(value)) return;
      spendUnits(entries.length);
      for (const [name, needed] of entries) {
        if (!Object.hasOwn(value, name)) continue;
        for (const other of toItems(needed)) {
          spendUnits(1);
          if (typeof other === 'string' && !Object.hasOwn(value, other))
            to.fail('dependentRequired', `${quoteSchema(other)} is missing beside ${quoteSchema(name)}`);
        }
      }
    };
  },
};

const TYPE_CHECKS: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: isJsonList,
  object: isJsonObject,
};

/** The names of the types of JSON. */
export const TYPE_NAMES: ReadonlySet<Json> = new Set(Object.keys(TYPE_CHECKS));

export function isOfType(value: Json, type: Json): boolean {
  return typeof type === 'string' && Object.hasOwn(TYPE_CHECKS, type) && (TYPE_CHECKS[type]?.(value) ?? false);
}

function checkNumbers(
  keyword: string,
  holds: (value: number, limit: number) => boolean,
  what: string,
): KeywordCompiler {
  return (limit) => (value, to) => {
    if (typeof value === 'number' && typeof limit === 'number' && !holds(value, limit))
      to.fail(keyword, `${what} ${limit}`);
  };
}

type SizeKeyword<T> = [keyword: string, holds: (value: T, limit: number) => boolean, what: string, unit: string];

function checkTexts(...[keyword, holds, what, unit]: SizeKeyword<string>): KeywordCompiler {
  return (limit) => (value, to) => {
    if (typeof value === 'string' && typeof limit === 'number' && !holds(value, limit))
      to.fail(keyword, `${what} ${limit} ${unit}`);
  };
}

function checkLists(...[keyword, holds, what, unit]: SizeKeyword<readonly Json[]>): KeywordCompiler {
  return (limit) => (value, to) => {
    if (isJsonList(value) && typeof limit === 'number' && !holds(value, limit))
      to.fail(keyword, `${what} ${limit} ${unit}`);
  };
}

function checkObjects(...[keyword, holds, what, unit]: SizeKeyword<number>): KeywordCompiler {
  return (limit): KeywordChecker =>
    (value, to) => {
      if (!isJsonObject(value) || typeof limit !== 'number') return;
      const { length } = Object.keys(value);
      spendUnits(length);
      if (!holds(length, limit)) to.fail(keyword, `${what} ${limit} ${unit}`);
    };
}

/** Returns the number of code points without making a list, because a text may have millions. */
function countCodePoints(text: string): number {
  spendUnits(priceOfText(text));
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > LAST_OF_ONE_UTF16_UNIT ? 2 : 1) count += 1;
  return count;
}

const LAST_OF_ONE_UTF16_UNIT = 0xff_ff;

/** True if a number is a multiple of another, with a tolerance for rounding: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  if (Number.isInteger(quotient)) return true;
  const rounding = Math.abs(quotient) * 4 * Number.EPSILON;
  return Math.abs(quotient - Math.round(quotient)) <= rounding;
}

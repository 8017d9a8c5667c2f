import { isMessage } from '../../definition/message.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { compileJsonSchema, findSchemaProblems } from '../../values/json-schema.ts';
import { isJsonList, isJsonObject, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** What a channel's value is, by its reducer; a default must be one. */
const VALUES: Readonly<Record<string, readonly [(value: Json) => boolean, string]>> = {
  append: [isJsonList, 'a list'],
  union: [isJsonList, 'a list'],
  messages: [(value) => isJsonList(value) && value.every(isNewMessage), 'a list of messages'],
  merge: [isJsonObject, 'an object'],
  sum: [isNumber, 'a number'],
  min: [isNumber, 'a number'],
  max: [isNumber, 'a number'],
  and: [isBoolean, 'true or false'],
  or: [isBoolean, 'true or false'],
};

/** `INVALID_DEFAULT`: a default that breaks its channel's reducer or schema. */
export const defaults: Rule = ({ channels }) =>
  [...channels].flatMap(([name, { default: value, reducer, schema }]) => {
    if (value === undefined) return [];
    const path = toPointer(['channels', name, 'default']);
    const broken = reducerProblem(value, reducer) ?? schemaProblem(value, schema);
    return broken === null ? [] : [error('INVALID_DEFAULT', path, broken)];
  });

function reducerProblem(value: Json, reducer: Json | undefined): string | null {
  if (typeof reducer !== 'string') return null;
  const rule = own(VALUES, reducer);
  return rule && !rule[0](value) ? `The default of a channel with reducer "${reducer}" must be ${rule[1]}` : null;
}

function schemaProblem(value: Json, schema: Json | undefined): string | null {
  if (!isSchema(schema) || findSchemaProblems(schema).length > 0) return null;
  const [violation] = compileJsonSchema(schema)(value);
  return violation ? `The default breaks the channel's schema: ${violation.message}` : null;
}

function isSchema(value: unknown): value is Parameters<typeof compileJsonSchema>[0] {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** One that may have no id yet. */
function isNewMessage(value: Json): boolean {
  return isMessage(isJsonObject(value) ? { id: 'new', ...value } : value);
}

function isNumber(value: Json): boolean {
  return typeof value === 'number';
}

function isBoolean(value: Json): boolean {
  return typeof value === 'boolean';
}

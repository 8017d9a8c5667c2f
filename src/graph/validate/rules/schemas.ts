import { isMessage } from '../../definition/message.ts';
import { fieldsOfKind } from '../../definition/node-types/describe-node.ts';
import { describeReducer } from '../../definition/reducers.ts';
import type { ValueKind } from '../../definition/reducers.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { findSchemaProblems, compileJsonSchema, isJsonSchema } from '../../values/json-schema.ts';
import { isJsonList, isJsonObject } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/** Finds an invalid JSON Schema, or one with a reference that does not resolve. */
export const schemaRule = defineRule({
  codes: ['INVALID_SCHEMA', 'TOO_EXPENSIVE'],
  find: ({ channels, nodes }) => {
    const ofChannels = [...channels].map(([name, { schema }]) => ({
      schema,
      path: toPointer(['channels', name, 'schema']),
    }));
    const ofNodes = [...nodes.values()].flatMap(({ fields, path }) =>
      fieldsOfKind('schemas').map((field) => ({ schema: fields[field], path: `${path}/${field}` })),
    );
    return [...ofChannels, ...ofNodes].flatMap(({ schema, path }) =>
      schema === undefined
        ? []
        : findSchemaProblems(schema).map(({ path: at, message, isTooExpensive }) =>
            error(isTooExpensive ? 'TOO_EXPENSIVE' : 'INVALID_SCHEMA', path + at, message),
          ),
    );
  },
});

const KIND_CHECKS: Readonly<Record<ValueKind, (value: Json) => boolean>> = {
  'any value': () => true,
  'a list': isJsonList,
  'a list of messages': (value) => isJsonList(value) && value.every(isNewMessage),
  'an object': isJsonObject,
  'a number': (value) => typeof value === 'number',
  'true or false': (value) => typeof value === 'boolean',
};

/** Finds a default that breaks its channel's reducer or schema. */
export const defaultRule = defineRule({
  codes: ['INVALID_DEFAULT', 'TOO_EXPENSIVE'],
  find: ({ channels }) =>
    [...channels].flatMap(([name, { default: value, reducer, schema }]) => {
      if (value === undefined) return [];
      const path = toPointer(['channels', name, 'default']);
      const broken = reducerProblem(value, reducer);
      return broken === null ? schemaIssues(value, schema, path) : [error('INVALID_DEFAULT', path, broken)];
    }),
});

function reducerProblem(value: Json, reducer: Json | undefined): string | null {
  const { holds } = describeReducer(reducer) ?? {};
  return typeof reducer === 'string' && holds && !KIND_CHECKS[holds](value)
    ? `The default of a channel with reducer "${reducer}" must be ${holds}`
    : null;
}

function schemaIssues(
  value: Json,
  schema: Json | undefined,
  path: string,
): GraphIssues<'INVALID_DEFAULT' | 'TOO_EXPENSIVE'> {
  if (!isJsonSchema(schema) || findSchemaProblems(schema).length > 0) return [];
  const [violation] = compileJsonSchema(schema)(value);
  if (!violation) return [];
  if (violation.isTooExpensive) return [error('TOO_EXPENSIVE', path, violation.message)];
  return [error('INVALID_DEFAULT', path, `The default breaks the channel's schema: ${violation.message}`)];
}

/** True for a message, with or without an id. */
function isNewMessage(value: Json): boolean {
  return isMessage(isJsonObject(value) ? { id: 'new', ...value } : value);
}

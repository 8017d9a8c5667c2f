import { fieldsOfKind } from '../../definition/node-types/describe-node.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { findSchemaProblems } from '../../values/json-schema.ts';
import { defineRule, error } from '../rule.ts';

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

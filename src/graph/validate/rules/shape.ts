import type { ZodType } from 'zod';
import type { Catalog, NodeTypeEntry } from '../../definition/catalog.ts';
import type { GraphIssue } from '../../definition/definition.ts';
import { ownFields } from '../../definition/node-types/custom.ts';
import { describeType } from '../../definition/node-types/describe-node.ts';
import { isTemplate } from '../../expression/template.ts';
import { EdgeSchemas, GraphSchema } from '../../schema/graph-schema.ts';
import { CustomNodeSchema, NodeSchemas } from '../../schema/node-schemas.ts';
import { parsePointer, toPointer, valueAt } from '../../values/json-pointer.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import { own } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import type { Path } from '../../values/json-pointer.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import { shapeIssues } from '../shape-issues.ts';
import type { ShapeIssues } from '../shape-issues.ts';
import type { SubjectNode } from '../subject.ts';

/** Finds fields that are missing, unknown or of the wrong type. */
export const fieldShapeRule = defineRule({
  codes: ['INVALID_FIELD', 'INVALID_DURATION', 'UNKNOWN_NODE_TYPE'],
  find: ({ definition, nodes, edges, catalog }) => [
    ...shapeIssues(GraphSchema, definition, { path: [] }),
    ...[...nodes.values()].flatMap((node) => nodeIssues(node, catalog)),
    ...edges.flatMap(({ kind, fields, path }) =>
      shapeIssues(EdgeSchemas[kind], fields, { path: parsePointer(path), alsoKnown: EDGE_FIELDS, hints: EDGE_HINTS }),
    ),
    ...[...nodes.values()].flatMap(fieldProblems),
  ],
});

/**
 * The fields of all kinds of edges. A misspelt field may belong to another kind than the one that its edge was
 * recognized as.
 */
const EDGE_FIELDS = Object.values(EdgeSchemas).flatMap(({ shape: fields }) => Object.keys(fields));

const CONDITIONS = 'Conditions go into "branches": [{ "when": "state.a > 1", "to": "a" }]';
const EDGE_HINTS = { condition: CONDITIONS, conditions: CONDITIONS, if: CONDITIONS, when: CONDITIONS };

function nodeIssues(
  { id, type, fields }: SubjectNode,
  catalog: Catalog,
): GraphIssues<ShapeIssues[number]['code'] | 'UNKNOWN_NODE_TYPE'> {
  if (type === '') return [];
  const schema = own<ZodType>(NodeSchemas, type);
  if (schema) return shapeIssues(schema, fields, { path: ['nodes', id] });
  const registered = own(catalog.nodeTypes ?? {}, type);
  return registered ? customIssues(registered, fields, id) : [unknownType(type, catalog, ['nodes', id, 'type'])];
}

/**
 * Checks a custom node: the common fields by this schema, the others by the schema of its type. Templates have no value
 * yet.
 */
function customIssues({ schema }: NodeTypeEntry, fields: JsonObject, id: string): ShapeIssues {
  const given = ownFields(fields);
  const common = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(given, name)));
  const ofType = compileJsonSchema(schema)(given).filter(({ path }) => !isTemplate(valueAt(given, parsePointer(path))));
  return [
    ...shapeIssues(CustomNodeSchema, common, { path: ['nodes', id] }),
    ...ofType.map(({ path, message }) => error('INVALID_FIELD', toPointer(['nodes', id]) + path, message)),
  ];
}

function unknownType(type: string, { nodeTypes = {} }: Catalog, path: Path): GraphIssue<'UNKNOWN_NODE_TYPE'> {
  const known = [...Object.keys(NodeSchemas), ...Object.keys(nodeTypes)];
  return error(
    'UNKNOWN_NODE_TYPE',
    toPointer(path),
    `There is no node type "${type}"; known are ${known.join(', ')}.${didYouMean(type, known)}`,
  );
}

/** Returns the issues of fields that are missing, or invalid in combination. */
function fieldProblems({ type, fields, path }: SubjectNode): ShapeIssues {
  const problems = describeType(type)?.findProblems?.(fields) ?? [];
  return problems.map(({ field, message, code }) =>
    error(code ?? 'INVALID_FIELD', field === null ? path : `${path}/${field}`, message),
  );
}

import type { Catalog, NodeTypeEntry } from '../../definition/catalog.ts';
import { ownFields } from '../../definition/custom-fields.ts';
import type { GraphIssue } from '../../definition/issue.ts';
import { CustomNodeSchema, EdgeSchemas, GraphSchema, NodeSchemas } from '../../schema/definition-schema.ts';
import { parseDuration } from '../../values/duration.ts';
import { parsePointer, toPointer } from '../../values/json-pointer.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import { own } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { didYouMean } from '../../values/text.ts';
import { parseTimestamp } from '../../values/timestamp.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';
import { shapeIssues, valueAt } from '../shape-issues.ts';
import type { Path } from '../shape-issues.ts';

/** `INVALID_FIELD`, `INVALID_DURATION`, `UNKNOWN_NODE_TYPE`: fields that are missing, unknown or of the wrong type. */
export const shape: Rule = ({ definition, nodes, edges, catalog }) => [
  ...shapeIssues(GraphSchema, definition, { path: [] }),
  ...[...nodes.values()].flatMap(({ id, type, fields }) => {
    if (type === '') return [];
    const schema = Object.hasOwn(NodeSchemas, type) ? NodeSchemas[type] : undefined;
    if (schema) return shapeIssues(schema, fields, { path: ['nodes', id] });
    const registered = own(catalog.nodeTypes ?? {}, type);
    return registered ? customIssues(registered, fields, id) : [unknownType(type, catalog, ['nodes', id, 'type'])];
  }),
  ...edges.flatMap(({ kind, fields, path }) =>
    shapeIssues(EdgeSchemas[kind], fields, { path: parsePointer(path), alsoKnown: EDGE_FIELDS }),
  ),
  ...[...nodes.values()].flatMap(({ type, fields, path }) => own(CHOICES, type)?.(fields, path) ?? []),
];

/** Who misspells the field that tells an edge's kind means a field of that kind. */
const EDGE_FIELDS = Object.values(EdgeSchemas).flatMap(({ shape: fields }) => Object.keys(fields));

/** Of a custom node: the common fields by our schema, its own by that of its type; templates are filled later. */
function customIssues({ schema }: NodeTypeEntry, fields: JsonObject, id: string): readonly GraphIssue[] {
  const given = ownFields(fields);
  const common = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(given, name)));
  const ofType = compileJsonSchema(schema)(given).filter(({ path }) => !isTemplate(valueAt(given, parsePointer(path))));
  return [
    ...shapeIssues(CustomNodeSchema, common, { path: ['nodes', id] }),
    ...ofType.map(({ path, message }) => error('INVALID_FIELD', toPointer(['nodes', id]) + path, message)),
  ];
}

function isTemplate(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('{{');
}

function unknownType(type: string, { nodeTypes = {} }: Catalog, path: Path): GraphIssue {
  const known = [...Object.keys(NodeSchemas), ...Object.keys(nodeTypes)];
  return error(
    'UNKNOWN_NODE_TYPE',
    toPointer(path),
    `There is no node type "${type}"; known are ${known.join(', ')}.${didYouMean(type, known)}`,
  );
}

/** Fields of which a node type takes one and not the other. */
const CHOICES: Readonly<Partial<Record<string, (fields: JsonObject, path: string) => readonly GraphIssue[]>>> = {
  llm: promptIssues,
  agent: promptIssues,
  tool: toolIssues,
  wait: waitIssues,
};

function waitIssues(fields: JsonObject, path: string): readonly GraphIssue[] {
  const given = ['for', 'until', 'event'].flatMap((field) => {
    const value = fields[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const [first, second] = given;
  if (first === undefined) return [error('INVALID_FIELD', path, 'A wait node needs one of for, until and event')];
  if (second !== undefined)
    return [
      error(
        'INVALID_FIELD',
        `${path}/${second.field}`,
        `A wait node takes ${first.field} or ${second.field}, not both`,
      ),
    ];
  if (first.field !== 'event' && fields['timeout'] !== undefined)
    return [error('INVALID_FIELD', `${path}/timeout`, 'Only a wait for an event takes a timeout')];
  return literalMoment(first.field, first.value, path);
}

/** A moment without a template can be checked now. */
function literalMoment(field: string, value: Json, path: string): readonly GraphIssue[] {
  if (typeof value !== 'string' || value.includes('{{')) return [];
  if (field === 'for' && parseDuration(value) === null)
    return [error('INVALID_DURATION', `${path}/for`, `"${value}" is no duration such as "30s", "5m", "2h" or "7d"`)];
  if (field === 'until' && parseTimestamp(value) === null)
    return [
      error('INVALID_FIELD', `${path}/until`, `"${value}" is no RFC 3339 timestamp such as "2026-03-01T12:00:00Z"`),
    ];
  return [];
}

function promptIssues(fields: JsonObject, path: string): readonly GraphIssue[] {
  const given = ['prompt', 'messages'].filter((field) => fields[field] !== undefined);
  if (given.length === 1) return [];
  return given.length === 0
    ? [error('INVALID_FIELD', path, 'This node needs a prompt, or messages (a channel)')]
    : [error('INVALID_FIELD', `${path}/messages`, 'This node takes a prompt or messages, not both')];
}

/** Fields of a tool node that make one call, and mean nothing where a message says what is called. */
const OF_ONE_CALL = ['tool', 'args', 'compensate'];

function toolIssues(fields: JsonObject, path: string): readonly GraphIssue[] {
  if (fields['calls'] === undefined)
    return fields['tool'] === undefined
      ? [error('INVALID_FIELD', path, 'A tool node needs a tool, or calls (a channel of messages)')]
      : [];
  return OF_ONE_CALL.filter((field) => fields[field] !== undefined).map((field) =>
    error('INVALID_FIELD', `${path}/${field}`, `A tool node takes calls or ${field}, not both`),
  );
}

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { definitionSchema } from '../../../../src/graph/schema/definition-schema.ts';
import { GRAPH_FIELDS, NODE_FIELDS } from '../../../../src/graph/schema/descriptions.ts';
import { isJsonList, isJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { mapValues } from '../../../../src/graph/values/collections.ts';
import { LIMITS } from '../../../../src/graph/definition/limits.ts';
import { NODE_TYPES } from '../../../../src/graph/definition/node-types/node-types.ts';
import { at, listAt } from '../../../support/readers/json-at.ts';

const FOLDER = new URL('../../../../src/graph/definition/', import.meta.url);

/** Returns the names of the fields without a description, over all objects in a JSON Schema. */
function withoutDescription(schema: Json): readonly string[] {
  if (isJsonList(schema)) return schema.flatMap(withoutDescription);
  if (!isJsonObject(schema)) return [];
  const { properties } = schema;
  const fields = schema['type'] === 'object' && isJsonObject(properties) ? Object.entries(properties) : [];
  const missing = fields.filter(([name, field]) => name !== 'type' && isJsonObject(field) && !field['description']);
  return [...missing.map(([name]) => name), ...Object.values(schema).flatMap(withoutDescription)];
}

test('every field of a definition has a description', () => {
  expect(withoutDescription(definitionSchema())).toEqual([]);
});

test.each(Object.keys(NODE_TYPES))('fields of a %s node have the descriptions of this node type', (type) => {
  const nodes = listAt(definitionSchema(), '/properties/nodes/additionalProperties/anyOf');
  const fields = at(nodes.find((node) => at(node, '/title') === `${type} node`) ?? null, '/properties');
  const texts = Object.entries(NODE_FIELDS).find(([name]) => name === type)?.[1] ?? {};
  for (const [field, text] of Object.entries(texts)) expect(fields).toMatchObject({ [field]: { description: text } });
});

/** Returns the doc comment of each field of an interface; an empty text if there is none. */
function commentsIn(file: string, name: string): Readonly<Record<string, string>> {
  const source = readFileSync(new URL(file, FOLDER), 'utf8');
  const [, body = ''] = new RegExp(String.raw`interface ${name}\b[^{]*\{\n([^]*?)\n\}`).exec(source) ?? [];
  const fields = [...body.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)? {2}readonly (\$?\w+)\??: (?!never)/g)];
  return Object.fromEntries(
    fields.map(([, comment = '', field = '']) => [field, comment.replaceAll(/\n? +\* /g, ' ').trim()]),
  );
}

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['definition.ts', 'GraphDefinition', GRAPH_FIELDS.graph],
  ['../../builder/graph-settings.ts', 'GraphSettings', GRAPH_FIELDS.graph],
  ['definition.ts', 'ChannelDefinition', GRAPH_FIELDS.channel],
  ['limits.ts', 'Limits', mapValues(LIMITS, ({ description }) => description)],
  ['definition.ts', 'Defaults', GRAPH_FIELDS.defaults],
  ['definition.ts', 'PlainEdge', GRAPH_FIELDS.plain],
  ['definition.ts', 'BranchesEdge', GRAPH_FIELDS.branches],
  ['definition.ts', 'Branch', GRAPH_FIELDS.branch],
  ['definition.ts', 'RouteEdge', GRAPH_FIELDS.route],
  ['definition.ts', 'ForEachEdge', GRAPH_FIELDS.forEach],
  ['common-fields.ts', 'CommonFields', NODE_FIELDS.set],
  ['common-fields.ts', 'CallFields', NODE_FIELDS.llm],
  ['common-fields.ts', 'RetryDefinition', GRAPH_FIELDS.retry],
  ['node-types/node-types.ts', 'AgentFields', NODE_FIELDS.agent],
  ['node-types/approval.ts', 'ApprovalFields', NODE_FIELDS.approval],
  ['node-types/approval.ts', 'ApprovalPolicy', NODE_FIELDS.policy],
  ['node-types/node-types.ts', 'FunctionFields', NODE_FIELDS.function],
  ['node-types/model-fields.ts', 'ModelFields', NODE_FIELDS.llm],
  ['node-types/model-fields.ts', 'ContextDefinition', NODE_FIELDS.context],
  ['node-types/node-types.ts', 'SubgraphFields', NODE_FIELDS.subgraph],
  ['node-types/node-types.ts', 'OneCallFields', NODE_FIELDS.tool],
  ['node-types/node-types.ts', 'CallsFields', NODE_FIELDS.tool],
  ['node-types/node-types.ts', 'WaitFields', NODE_FIELDS.wait],
])('doc comments in %s, %s, equal the descriptions that editors show', (file, name, texts) => {
  const comments = Object.entries(commentsIn(file, name));
  expect(comments.length).toBeGreaterThan(1);
  expect(comments).toEqual(comments.map(([field]) => [field, texts[field]]));
});

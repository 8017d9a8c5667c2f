import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../../../src/graph/nodes/tool-calls/callable-tool.ts';
import { compileJsonSchema } from '../../../../../src/graph/values/json-schema.ts';
import type { JsonSchema } from '../../../../../src/graph/values/json-schema.ts';
import type { Json } from '../../../../../src/graph/values/json.ts';
import { asks, playAgent } from '../../../../support/builders/agents.ts';

const patterned: JsonSchema = {
  type: 'object',
  patternProperties: { '^s_': { type: 'string' }, '^n_': { type: 'integer' } },
  additionalProperties: { type: 'number' },
};
const closed: JsonSchema = { ...patterned, additionalProperties: false };
const branched: JsonSchema = {
  type: 'object',
  required: ['kind'],
  anyOf: [
    { properties: { kind: { const: 'number' }, v: { type: 'integer' } } },
    { properties: { kind: { const: 'other' } } },
  ],
};
const conditional: JsonSchema = {
  type: 'object',
  if: { properties: { kind: { const: 'number' } } },
  then: { properties: { v: { type: 'number' } } },
};
const nested: JsonSchema = {
  type: 'object',
  properties: { 'a/b ~c': { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } } } } },
};

const zipped: JsonSchema = {
  type: 'object',
  patternProperties: { '^zip': { type: 'string' } },
  additionalProperties: { type: 'number' },
};

const reads = (given: Json, schema: JsonSchema): Json => {
  const check = compileJsonSchema(schema);
  const read = readArguments(given, schema, check);
  const [violation] = check(read);
  return violation ? `broken at ${violation.path}` : read;
};

describe('arguments that a model has written', () => {
  test.each<[string, JsonSchema, Json, Json]>([
    ['a text that a pattern accepts stays text', patterned, { s_zip: '1010' }, { s_zip: '1010' }],
    [
      'a text that a pattern accepts beside a number type stays text',
      patterned,
      { s_zip: '1010', n: '5' },
      { s_zip: '1010', n: 5 },
    ],
    ['a pattern may require a number', closed, { n_x: '5', s_y: '6' }, { n_x: 5, s_y: '6' }],
    ['a valid value is unchanged', branched, { kind: 'other', v: '5' }, { kind: 'other', v: '5' }],
    ['a branch may require a number', branched, { kind: 'number', v: '5' }, { kind: 'number', v: 5 }],
    ['a condition may require a number', conditional, { kind: 'number', v: '0.5' }, { kind: 'number', v: 0.5 }],
    ['names with special characters', nested, { 'a/b ~c': [{ on: 'true' }] }, { 'a/b ~c': [{ on: true }] }],
    ['an enum of texts and numbers converts a text', { enum: ['a', 5] }, '5', 5],
    ['a text that is too short stays text', { minLength: 6 }, '12345', 'broken at '],
    ['a text that violates a pattern stays text', { pattern: '^0' }, '123', 'broken at '],
    ['a text that violates a format stays text', { format: 'email' }, 'true', 'broken at '],
    ['no member is lost', patterned, { n: '9007199254740993' }, 'broken at /n'],
    ['a text that is not a number stays invalid', patterned, { n: 'five', m: '5' }, 'broken at /n'],
  ])('tool arguments that a model has written are parsed by their schema: %s', (...[, schema, given, read]) => {
    expect(reads(given, schema)).toEqual(read);
  });

  test('a tool receives the arguments of a model as they were parsed', () => {
    const tool = { effect: 'idempotent', description: '', parameters: zipped } as const;
    const replies = [asks(['lookup', { zip: '1010', n: '5' }]), 'done'];
    expect(playAgent({}, { replies, tools: { lookup: tool } }).calls.map(({ args }) => args)).toEqual([
      { zip: '1010', n: 5 },
    ]);
  });
});

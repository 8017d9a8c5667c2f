import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { definitionSchema } from '../../../../src/graph/schema/definition-schema.ts';
import { invalidNameRule } from '../../../../src/graph/validate/rules/names.ts';
import { fieldShapeRule } from '../../../../src/graph/validate/rules/shape.ts';
import { readSubject } from '../../../../src/graph/validate/subject.ts';
import { isJsonObject } from '../../../../src/graph/values/json.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { listAt, textAt } from '../../../support/readers/json-at.ts';

const ROBOT = {
  schema: { type: 'object', properties: { speed: {}, color: {} }, required: ['speed'] },
  effect: 'keyed',
} as const;
const fits = new Ajv2020({ strictTypes: false }).compile(definitionSchema());
const fitsWithRobots = new Ajv2020({ strictTypes: false }).compile(definitionSchema({ robot: ROBOT }));

const withNode = (node: unknown) => ({ ...aDefinition(), nodes: { a: node } });
const withEdge = (edge: unknown) => ({ ...aDefinition(), edges: [edge] });

const parse = (file: string): Json => toJson(JSON.parse(readFileSync(file, 'utf8')));

describe('definitionSchema', () => {
  test('the JSON Schema of definitions accepts the bundled graph', () => {
    expect([fits(parse('graphs/refund-triage.json')), fits.errors]).toEqual([true, null]);
  });

  test.each<[string, unknown]>([
    ['a definition', aDefinition()],
    [
      'a definition that names its schema',
      { $schema: 'http://127.0.0.1:3000/schemas/graph-definition.json', ...aDefinition() },
    ],
    ['an inline subgraph', withNode({ type: 'subgraph', graph: aDefinition() })],
    ['a named subgraph', withNode({ type: 'subgraph', graph: 'child@3' })],
    ['a wait', withNode({ type: 'wait', event: 'paid', timeout: '5m' })],
    ['a wait whose time is a template', withNode({ type: 'wait', for: '{{ state.log[0] }}' })],
    ['a route', withEdge({ from: '__start__', route: 'state.x', paths: { a: 'a', b: ['a'] }, default: '__end__' })],
    ['a join', withEdge({ from: ['a', 'b'], to: 'a' })],
    ['an edge over elements', withEdge({ from: 'a', forEach: 'state.log', to: 'a', maxConcurrency: 2 })],
  ])('the JSON Schema of definitions accepts %s', (_, definition) => {
    expect([fits(definition), fits.errors]).toEqual([true, null]);
  });

  test.each<[string, unknown]>([
    ['a text', 'graph'],
    ['a definition without a name', { nodes: {}, edges: [] }],
    ['a bad name', { ...aDefinition(), name: 'Not a name' }],
    ['an unknown field', { ...aDefinition(), egdes: [] }],
    ['a bad channel', { ...aDefinition(), channels: { log: { reducer: 'apend' } } }],
    ['a bad channel name', { ...aDefinition(), channels: { '1st': {} } }],
    ['a bad node id', { ...aDefinition(), nodes: { 'a b': { type: 'set' } } }],
    ['a limit that is not a number', { ...aDefinition(), limits: { maxSteps: 'many' } }],
    ['an unknown type', withNode({ type: 'robot', speed: 1 })],
    ['a node without a type', withNode({ write: 'log' })],
    ['a field of another type', withNode({ type: 'set', tool: 'charge' })],
    ['a tool node without a tool', withNode({ type: 'tool' })],
    ['a bad duration', withNode({ type: 'tool', tool: 'charge', timeout: 'soon' })],
    ['a timeout of zero', withNode({ type: 'tool', tool: 'charge', timeout: '0.0s' })],
    ['a bad duration deep inside', withNode({ type: 'tool', tool: 'charge', retry: { maxInterval: '1 minute' } })],
    ['a prompt and messages', withNode({ type: 'llm', prompt: 'x', messages: 'log' })],
    ['neither prompt nor messages', withNode({ type: 'llm' })],
    ['a wait for nothing', withNode({ type: 'wait' })],
    ['a wait for an invalid duration', withNode({ type: 'wait', for: '5 minutes' })],
    ['a wait until an invalid time', withNode({ type: 'wait', until: 'tomorrow' })],
    ['a subgraph that is wrong inside', withNode({ type: 'subgraph', graph: { ...aDefinition(), edges: 'none' } })],
    ['a bad policy', withNode({ type: 'approval', title: 'x', policy: { quorum: 0 } })],
    ['an edge without a target', withEdge({ from: 'a' })],
    ['an edge of two kinds', withEdge({ from: 'a', to: 'a', branches: [{ to: 'a' }] })],
    ['an edge with an empty list of branches', withEdge({ from: 'a', branches: [] })],
  ])('the JSON Schema of definitions refuses %s', (_, definition) => {
    expect(fits(definition)).toBe(false);
  });

  test('the JSON Schema of definitions accepts the node types that code registers', () => {
    expect([
      fitsWithRobots(withNode({ type: 'robot', speed: '{{ state.n }}', write: 'log' })),
      fitsWithRobots.errors,
    ]).toEqual([true, null]);
    expect(fitsWithRobots(withNode({ type: 'robot' }))).toBe(false);
    expect(fitsWithRobots(withNode({ type: 'robot', color: 'red' }))).toBe(false);
    expect(fitsWithRobots(withNode({ type: 'robot', color: 'red', speed: 1 }))).toBe(true);
    expect(fitsWithRobots(withNode({ type: 'robot', speed: 1, timeout: 'soon' }))).toBe(false);
  });

  test.each([true, {}, { properties: null }])(
    'the JSON Schema of definitions accepts any fields of a node type whose schema is %j',
    (schema) => {
      const fitsAny = new Ajv2020({ strictTypes: false }).compile(
        definitionSchema({ any: { schema, effect: 'keyed' } }),
      );
      expect(fitsAny(withNode({ type: 'any', speed: 1 }))).toBe(true);
    },
  );

  test('the JSON Schema of definitions has descriptions for everything that an editor offers', () => {
    const schema = toJson(definitionSchema());
    const types = listAt(schema, '/properties/nodes/additionalProperties/anyOf');
    expect(types).toContainEqual(
      expect.objectContaining({
        title: 'tool node',
        description: expect.stringMatching(/./),
        properties: expect.objectContaining({ type: { type: 'string', const: 'tool' } }),
      }),
    );
    expect(types.every((type) => isJsonObject(type) && typeof type['description'] === 'string')).toBe(true);
  });
});

const SCENARIOS = join(resolve(process.env['CONFORMANCE_DIR'] ?? '../shared/conformance-next'), 'scenarios');

describe.skipIf(!existsSync(SCENARIOS))('a definition of the conformance suite', () => {
  const names = { models: { default: {} }, tools: aCatalog().tools, functions: {} };
  const definitions = existsSync(SCENARIOS) ? readdirSync(SCENARIOS).flatMap(readScenarios) : [];

  test.each(definitions)(
    'the conformance definition $name satisfies the JSON Schema if it has the right shape',
    ({ definition }) => {
      if (!isJsonObject(definition)) throw new TypeError('A definition is an object');
      const subject = readSubject(definition, aCatalog(names));
      const isOfShape = [...fieldShapeRule.find(subject), ...invalidNameRule.find(subject)].length === 0;
      expect({ fits: fits(definition), errors: isOfShape ? fits.errors : null }).toEqual({
        fits: isOfShape,
        errors: null,
      });
    },
  );
});

function readScenarios(file: string): { readonly name: string; readonly definition: Json }[] {
  return listAt(parse(join(SCENARIOS, file)), '/scenarios').flatMap((scenario) => {
    if (!isJsonObject(scenario)) return [];
    const graphs = isJsonObject(scenario['graphs']) ? Object.values(scenario['graphs']) : [];
    const all = scenario['graph'] === undefined ? graphs : [scenario['graph'], ...graphs];
    return all.map((definition, index) => ({ name: `${textAt(scenario, '/id')} ${index}`, definition }));
  });
}

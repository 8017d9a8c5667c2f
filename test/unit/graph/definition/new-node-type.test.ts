import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import type { CallFields } from '../../../../src/graph/definition/common-fields.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import type { DescriptionOf } from '../../../../src/graph/definition/node-types/node-description.ts';
import { NODE_TYPES } from '../../../../src/graph/definition/node-types/node-types.ts';
import { pinCatalog } from '../../../../src/graph/definition/pin-catalog.ts';
import { toMermaid, toPlantUml } from '../../../../src/graph/diagram/write-diagram.ts';
import type { NodeBehavior, TaskContext } from '../../../../src/graph/nodes/behavior.ts';
import { NODE_COMPILERS } from '../../../../src/graph/nodes/node-compilers.ts';
import { NodeSchemas } from '../../../../src/graph/schema/node-schemas.ts';
import { definitionSchema } from '../../../../src/graph/schema/definition-schema.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { runInMemory } from '../../../support/doubles/memory-shell.ts';

/*
 * While these tests run, the three tables of node types (descriptions, shapes and compilers) contain one more type.
 * Nothing else in `src/graph` knows it.
 */

beforeAll(() => {
  Object.assign(NODE_TYPES, { translate: DESCRIPTION });
  Object.assign(NodeSchemas, { translate: SHAPE });
  Object.assign(NODE_COMPILERS, { translate: compile });
});

afterAll(() => {
  for (const table of [NODE_TYPES, NodeSchemas, NODE_COMPILERS]) Reflect.deleteProperty(table, 'translate');
});

interface TranslateFields extends CallFields {
  readonly with: string;
  readonly text?: string;
  readonly talk?: string;
  readonly after?: { readonly note: string };
  readonly style?: { readonly model: string };
  readonly glossary?: readonly string[];
  readonly fallback?: string | GraphDefinition;
  readonly given?: JsonObject;
  readonly form?: Json;
  readonly mayLead?: readonly string[];
  readonly onDoubt?: 'continue' | 'fail';
}

const DESCRIPTION: DescriptionOf<TranslateFields> = {
  summary: 'Translates a text.',
  templates: ['text'],
  resultTemplates: ['after/note'],
  uses: { functions: ['with'], models: ['style/model'], tools: ['glossary'] },
  graph: { definition: 'fallback', input: 'given' },
  conversations: ['talk'],
  schemas: ['form'],
  goto: ['mayLead'],
  onReject: 'onDoubt',
  mayWait: true,
  hasOwnDeadline: true,
  exactlyOne: ['text', 'talk'],
  findProblems: ({ text }) => (text === 'x' ? [{ field: 'text', message: 'x is no text' }] : []),
  editorSchemas: { text: { type: 'string', maxLength: 99 } },
  look: { outline: 'flag', fill: 'ABCDEF', subject: ['with'], notes: [{ label: 'styled by', field: 'style/model' }] },
};

const any = z.json().optional();

const SHAPE = z.strictObject({
  type: z.literal('translate'),
  with: z.string(),
  text: any,
  talk: any,
  after: any,
  style: any,
  glossary: any,
  fallback: any,
  given: any,
  form: any,
  mayLead: any,
  onDoubt: any,
  deadline: any,
  write: any,
});

/** Compiles a node that calls the function named in it with the text. */
function compile(node: TranslateFields): NodeBehavior {
  const policy = { timeoutMs: 1_000, deadlineMs: null, heartbeatMs: 1_000, retry: RETRY };
  const start = (task: TaskContext) => {
    const { with: name, text: args = null } = node;
    const request = { kind: 'function', function: name, args, effect: 'idempotent', policy } as const;
    return { kind: 'open', position: { kind: 'call', key: task.call(0, request), args } } as const;
  };
  return {
    start,
    resume(_task, _position, input) {
      const value = input.kind === 'call.completed' && input.reply.kind === 'value' ? input.reply.value : null;
      return { kind: 'done', result: value };
    },
  };
}

const RETRY = { maxAttempts: 1, initialMs: 1, coefficient: 1, maxMs: 1, nonRetryable: [] };

const NODE = { type: 'translate', with: 'double', text: 'hello', onDoubt: 'fail', write: { log: ['{{ result }}'] } };

function withNode(over: JsonObject, whole: JsonObject = {}): JsonObject {
  const edges = [{ from: '__start__', to: 't' }];
  const channels = { log: { reducer: 'append' } };
  return { name: 'test', channels, nodes: { t: { ...NODE, ...over } }, edges, ...whole };
}

const issuesOf = (definition: JsonObject): readonly string[] =>
  validateGraph(definition, aCatalog()).map(({ code, path }) => `${code} ${path}`);

function asDefinition(definition: JsonObject): GraphDefinition {
  return { ...aDefinition(), ...definition };
}

describe('a node type that only exists in the tables of node types', () => {
  test('a node type that only exists in the tables of node types is valid', () => {
    expect(issuesOf(withNode({ style: { model: 'spare' }, glossary: ['lookup'] }))).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{ with: 5 }, 'INVALID_FIELD /nodes/t/with'],
    [{ other: 1 }, 'INVALID_FIELD /nodes/t/other'],
    [{ text: 'x' }, 'INVALID_FIELD /nodes/t/text'],
    [{ text: '{{ 1 + }}' }, 'INVALID_TEMPLATE /nodes/t/text'],
    [{ text: '{{ state.gone }}' }, 'UNKNOWN_CHANNEL /nodes/t/text'],
    [{ after: { note: '{{ state.gone == result }}' } }, 'UNKNOWN_CHANNEL /nodes/t/after/note'],
    [{ with: 'gone' }, 'UNKNOWN_FUNCTION /nodes/t/with'],
    [{ style: { model: 'gone' } }, 'UNKNOWN_MODEL /nodes/t/style/model'],
    [{ glossary: ['lookup', 'gone'] }, 'UNKNOWN_TOOL /nodes/t/glossary/1'],
    [{ talk: 'gone' }, 'UNKNOWN_CHANNEL /nodes/t/talk'],
    [{ form: { type: 5 } }, 'INVALID_SCHEMA /nodes/t/form/type'],
    [{ mayLead: ['gone'] }, 'UNKNOWN_NODE /nodes/t/mayLead/0'],
    [{ fallback: 'gone' }, 'UNKNOWN_GRAPH /nodes/t/fallback'],
    [{ fallback: { name: 'INNER', nodes: {}, edges: [] } }, 'INVALID_NAME /nodes/t/fallback/name'],
    [{ fallback: withNode({}), given: { gone: 1 } }, 'UNKNOWN_CHANNEL /nodes/t/given/gone'],
  ])('a new node type has the issue %s if its node has the fields %j', (over, issue) => {
    expect(issuesOf(withNode({ style: { model: 'spare' }, ...over }))).toContain(issue);
  });

  test('a node of a new type can not be the last node of canceled runs, and warns if no edge checks its rejection', () => {
    expect(issuesOf(withNode({}, { onCancel: 't' }))).toContain('INVALID_FIELD /onCancel');
    const edges = [
      { from: '__start__', to: 't' },
      { from: 't', to: 'u' },
    ];
    const nodes = { t: { ...NODE, onDoubt: 'continue' }, u: { type: 'set' } };
    expect(issuesOf(withNode({}, { nodes, edges }))).toContain('APPROVAL_UNCHECKED /nodes/t');
  });

  test('a new node type is in the JSON Schema of definitions', () => {
    const text = JSON.stringify(definitionSchema());
    expect(text).toContain('"title":"translate node","description":"Translates a text."');
    expect(text).toContain('"oneOf":[{"required":["text"]},{"required":["talk"]}]');
    expect(text).toContain('"text":{"type":"string","maxLength":99}');
  });

  test('a node of a new type is drawn as its description says', () => {
    const definition = asDefinition(withNode({ style: { model: 'spare' }, mayLead: ['t'] }));
    expect(toMermaid(definition)).toContain('n_t>"t<br/>translate#58; double<br/>styled by#58; spare"]');
    expect(toMermaid(definition)).toContain('n_t -.->|"goto"| n_t');
    expect(toPlantUml(definition)).toContain('as n_t #ABCDEF');
  });

  test('a run pins the tools and models that a node of a new type uses, and those of the graph inside', () => {
    const inner = { name: 'inner', nodes: { a: { type: 'tool', tool: 'charge' } }, edges: [] };
    const definition = asDefinition(withNode({ glossary: ['lookup'], fallback: inner }));
    const { models, tools, functions } = pinCatalog(definition, aCatalog());
    expect([models, tools, functions].map((entries) => Object.keys(entries))).toEqual([
      ['default'],
      ['lookup', 'charge'],
      ['double'],
    ]);
  });

  test('a node of a new type is compiled and run', () => {
    const definition = asDefinition(withNode({ deadline: '5s' }));
    const node = compileGraph(definition, aCatalog()).nodes.get('t');
    expect(node).toMatchObject({ type: 'translate', asksModel: true, deadlineMs: 5_000, subgraph: null });
    const { run } = runInMemory(
      { definition, catalog: aCatalog(), input: {} },
      { function: ({ args }) => `${JSON.stringify(args)}!` },
    );
    expect(run).toMatchObject({ status: 'completed', output: { log: ['"hello"!'] } });
  });
});

test('no shared code of the interpreter compares a node’s type with a type name', () => {
  const types = Object.keys(NODE_TYPES).join('|');
  const comparison = new RegExp(String.raw`\btype'?\]? *[!=]== *'(?:${types})'|Set\(\['(?:${types})'`);
  const files = readdirSync('src/graph', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => comparison.test(readFileSync(`src/graph/${name}`, 'utf8')))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog } from '../../../support/builders/builders.ts';

const START = { from: '__start__', to: 'a' };
const base = (over: Readonly<Record<string, Json>>): Json => ({
  name: 'misspelt',
  channels: { log: { reducer: 'append' } },
  nodes: { a: { type: 'set', write: { log: 'a' } } },
  edges: [START],
  ...over,
});
const node = (a: Json): Json => base({ nodes: { a } });
const channel = (log: Json): Json => base({ channels: { log } });
const edge = (second: Json): Json => base({ edges: [START, second] });
const set = (over: Readonly<Record<string, Json>>): Json => node({ type: 'set', write: { log: 'a' }, ...over });
const approval = (over: Readonly<Record<string, Json>>): Json => node({ type: 'approval', title: 'Go?', ...over });

const issuesOf = (definition: Json): string[] =>
  validateGraph(definition, aCatalog())
    .filter(({ severity }) => severity === 'error')
    .map(({ code, path, message }) => `${code} ${path}: ${message}`);

describe('a misspelt name', () => {
  test.each<[string, Json, string]>([
    ['a field', node({ type: 'llm', prompts: 'x' }), '/nodes/a/prompts: … Did you mean "prompt"?'],
    ['a field of the graph', base({ chanels: {} }), '/chanels: … Did you mean "channels"?'],
    ['a limit', base({ limits: { maxStep: 5 } }), '/limits/maxStep: … Did you mean "maxSteps"?'],
    ['a default', base({ defaults: { retrys: {} } }), '/defaults/retrys: … Did you mean "retry"?'],
    ['a field of a channel', channel({ reduces: 'append' }), '/channels/log/reduces: … Did you mean "reducer"?'],
    ['a reducer', channel({ reducer: 'apend' }), '/channels/log/reducer: … Did you mean "append"?'],
    [
      'a field of a reducer',
      channel({ reducer: { exp: 'current' } }),
      '/channels/log/reducer/exp: … Did you mean "expr"?',
    ],
    ['a value of an error policy', set({ onError: 'intervein' }), '/nodes/a/onError: … Did you mean "intervene"?'],
    ['a field of an error policy', set({ onError: { too: 'a' } }), '/nodes/a/onError/too: … Did you mean "to"?'],
    ['an option', approval({ onTimeout: 'aprove' }), '/nodes/a/onTimeout: … Did you mean "approve"?'],
    [
      'a field of an item',
      approval({ policy: { escalate: [{ afer: '1h', roles: [] }] } }),
      '/nodes/a/policy/escalate/0/afer: … Did you mean "after"?',
    ],
    [
      'a field of an approval policy',
      node({ type: 'agent', prompt: 'x', tools: ['lookup'], approve: { lookup: 'allways' } }),
      '/nodes/a/approve/lookup: … Did you mean "always"?',
    ],
    ['a kind of edge', edge({ from: 'a', branchs: [{ to: 'a' }] }), '/edges/1/branchs: … Did you mean "branches"?'],
    [
      'a field of a branch',
      edge({ from: 'a', branches: [{ wen: 'true', to: 'a' }] }),
      '/0/wen: … Did you mean "when"?',
    ],
    ['a field of a route', edge({ from: 'a', route: '"a"', path: {} }), '/edges/1/path: … Did you mean "paths"?'],
  ])('a misspelt name in a definition has a suggestion: %s', (_title, definition, expected) => {
    const [place = '', suggestion = ''] = expected.split(' … ');
    const ofPlace = issuesOf(definition).filter((issue) => issue.includes(`${place} `));
    expect(ofPlace).toEqual([expect.stringContaining(` ${suggestion}`)]);
  });

  test('a misspelt name without a similar valid one has no suggestion', () => {
    const known = 'type, description, write, deadline, onError, maxVisits, defer';
    const message = `There is no field "color" here; known are ${known}`;
    expect(issuesOf(set({ color: 1 }))).toEqual([`INVALID_FIELD /nodes/a/color: ${message}`]);
  });
});

describe('the issue of a value with several allowed forms', () => {
  const reducers = '"replace", "append", "union", "merge", "sum", "min", "max", "and", "or", "messages" or an object';
  test.each<[string, Json, string[]]>([
    ['a write', set({ write: 5 }), ['/nodes/a/write: This must be text or an object, not 5.']],
    ['a reducer', channel({ reducer: 5 }), [`/channels/log/reducer: This must be ${reducers}, not 5.`]],
    [
      'the expression of a reducer',
      channel({ reducer: { expr: 1 } }),
      ['/channels/log/reducer/expr: This must be text, not 1.'],
    ],
    [
      'the target of an error',
      set({ onError: { to: 1, write: [] } }),
      ['/nodes/a/onError/to: This must be text, not 1.', '/nodes/a/onError/write: This must be an object, not a list.'],
    ],
    [
      'a list of models',
      node({ type: 'llm', prompt: 'x', model: ['default', 3] }),
      ['/nodes/a/model/1: This must be text, not 3.'],
    ],
    ['the sources of a join', edge({ from: ['a', 3], to: 'a' }), ['/edges/1/from/1: This must be text, not 3.']],
    ['a target in a list', edge({ from: 'a', to: ['a', 3] }), ['/edges/1/to/1: This must be text, not 3.']],
    ['a source', edge({ from: 5, to: 'a' }), ['/edges/1/from: This must be text or a list, not 5.']],
    ['a target', edge({ from: 'a', to: null }), ['/edges/1/to: This must be text or a list, not null.']],
    [
      'the graph of a node',
      node({ type: 'subgraph', graph: 5 }),
      ['/nodes/a/graph: This must be text or an object, not 5.'],
    ],
  ])(
    'the issue of a value with several allowed forms contains what was expected: %s',
    (_title, definition, expected) => {
      expect(issuesOf(definition)).toEqual(expected.map((issue) => `INVALID_FIELD ${issue}`));
    },
  );

  test('the issue of a value with several allowed forms keeps the code of the matching branch', () => {
    const definition = approval({ policy: { reminders: ['soon', 5] } });
    expect(issuesOf(definition)).toMatchObject([
      expect.stringMatching(/^INVALID_DURATION \/nodes\/a\/policy\/reminders\/0: /),
      'INVALID_FIELD /nodes/a/policy/reminders/1: This must be text, not 5.',
    ]);
  });
});

test('a node that a join of edges names twice is reported once', () => {
  expect(issuesOf(edge({ from: ['ghost', 'ghost'], to: 'a' }))).toEqual([
    'UNKNOWN_NODE /edges/1/from/0: There is no node "ghost".',
  ]);
});
